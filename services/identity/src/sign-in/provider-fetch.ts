import { createHttpClient } from '@payments/egress/http-client'
import { LocalFailure } from '@payments/egress/local-failure'
import type { CustomFetchOptions } from 'openid-client'
import { ProviderUnavailable } from './providers.ts'

const timeoutMs = 5_000
const documentBytesMax = 256 * 1024

export interface ProviderFetch {
  /** As `fetch`, for the documents of sign-in providers. Throws ProviderUnavailable. */
  readonly request: (url: string, options: FetchOptions) => Promise<Response>
  close(): void
}

type FetchOptions = Pick<CustomFetchOptions, 'method' | 'headers' | 'signal'> & { readonly body?: unknown }

/**
 * Requests to sign-in providers: at most 5 s and 256 KiB, no redirect, and only public addresses unless `allowPrivate`.
 * A provider whose response breaks one of these bounds is unavailable.
 */
export function createProviderFetch(allowPrivate: boolean): ProviderFetch {
  const http = createHttpClient({ allowPrivate })
  const send = async (url: string, { method, headers, body, signal }: FetchOptions) => {
    const bytes = bytesOf(body)
    const response = await http.request({
      method: method === 'POST' ? 'POST' : 'GET',
      url,
      headers: Object.fromEntries(new Headers(headers)),
      ...(bytes === undefined ? {} : { body: bytes }),
      ...(signal === undefined ? {} : { signal }),
      connectTimeoutMs: timeoutMs,
      responseBytesMax: documentBytesMax,
      deadlineAt: performance.now() + timeoutMs,
    })
    if ('failure' in response) throw new ProviderUnavailable(`${url}: ${response.failure}, ${response.detail}`)
    const { status, truncated } = response
    if (truncated) throw new ProviderUnavailable(`${url}: more than ${documentBytesMax} bytes`)
    // The token endpoint explains its errors in the body (RFC 6749, 5.2).
    const explained = method === 'POST' && (status === 400 || status === 401)
    if (status !== 200 && !explained) throw new ProviderUnavailable(`${url}: status ${status}`)
    const text = response.body.toString('utf8')
    if (!isJson(text)) throw new ProviderUnavailable(`${url}: no JSON`)
    return new Response(text, { status, headers: { 'content-type': 'application/json' } })
  }
  return {
    request: async (url, options) => {
      try {
        return await send(url, options)
      } catch (error) {
        if (error instanceof LocalFailure) throw new ProviderUnavailable(`${url}: not requested`, { cause: error })
        throw error
      }
    },
    close: () => http.close(),
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // The page of a proxy, mostly.
    return false
  }
}

function bytesOf(body: unknown): Uint8Array | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string' || body instanceof URLSearchParams) return Buffer.from(body.toString())
  throw new Error('a request to a sign-in provider has a form or no body')
}

import { parseForeignJson } from '@payments/chassis/base/foreign-json'
import { createHttpClient } from '@payments/egress/http-client'
import { LocalFailure } from '@payments/egress/local-failure'
import type { CustomFetchOptions } from 'openid-client'
import { readError, readPublished, readTokens } from './provider-documents.ts'
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
 * A provider whose response breaks one of these bounds is unavailable. Any status of success, any Content-Type and the
 * usual deviations of JSON are read.
 */
export function createProviderFetch(allowPrivate: boolean): ProviderFetch {
  const http = createHttpClient({ allowPrivate })
  const send = async (url: string, { method, headers, body, signal }: FetchOptions) => {
    const bytes = encodeBody(body)
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
    const isSuccess = status >= 200 && status < 300
    if (!isSuccess && !explained) throw new ProviderUnavailable(`${url}: status ${status}`)
    const document = parseDocument(response.body.toString('utf8'))
    if (document === undefined) throw new ProviderUnavailable(`${url}: no JSON`)
    const read = method !== 'POST' ? readPublished(document) : isSuccess ? readTokens(document) : readError(document)
    if (read === undefined) throw new ProviderUnavailable(`${url}: neither metadata nor keys`)
    return Response.json(read, { status: isSuccess ? 200 : status })
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

/** Undefined for a text that is no JSON: the page of a proxy, mostly. */
function parseDocument(text: string): unknown {
  try {
    return parseForeignJson(text)
  } catch {
    return undefined
  }
}

function encodeBody(body: unknown): Uint8Array | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string' || body instanceof URLSearchParams) return Buffer.from(body.toString())
  throw new Error('a request to a sign-in provider has a form or no body')
}

import { parseForeignJson } from '@payments/chassis/base/foreign-json'
import { createHttpClient } from '@payments/egress/http-client'
import { LocalFailure } from '@payments/egress/local-failure'
import type { CustomFetchOptions } from 'openid-client'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import { readError, readPublished, readTokens } from './provider-documents.ts'

const timeoutMs = 5_000
const documentBytesMax = 256 * 1024

export interface ProviderFetch {
  /** As `fetch`, for the documents of sign-in providers. Throws SignInFailed. */
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
  const request = async (url: string, { method, headers, body, signal }: FetchOptions) => {
    const bytes = encodeBody(body)
    const options = {
      method: method === 'POST' ? 'POST' : 'GET',
      url,
      headers: Object.fromEntries(new Headers(headers)),
      ...(bytes === undefined ? {} : { body: bytes }),
      ...(signal === undefined ? {} : { signal }),
      connectTimeoutMs: timeoutMs,
      responseBytesMax: documentBytesMax,
      deadlineAt: performance.now() + timeoutMs,
    } as const
    const response = await http.request(options).catch((error: unknown) => {
      throw error instanceof LocalFailure ? unavailable(`${url}: not requested`, error) : error
    })
    if ('failure' in response) throw unavailable(`${url}: ${response.failure}, ${response.detail}`)
    const { status, truncated } = response
    if (truncated) throw unavailable(`${url}: more than ${documentBytesMax} bytes`)
    // The token endpoint explains its errors in the body (RFC 6749, 5.2).
    const explained = method === 'POST' && (status === 400 || status === 401)
    const isSuccess = status >= 200 && status < 300
    if (!isSuccess && !explained) throw unavailable(`${url}: status ${status}`)
    const document = parseDocument(response.body.toString('utf8'))
    if (document === undefined) throw unavailable(`${url}: no JSON`)
    const read = method !== 'POST' ? readPublished(document) : isSuccess ? readTokens(document) : readError(document)
    if (read === undefined) throw unavailable(`${url}: neither metadata nor keys`)
    return Response.json(read, { status: isSuccess ? 200 : status })
  }
  return { request, close: () => http.close() }
}

const unavailable = (detail: string, cause?: unknown) => new SignInFailed('provider_unavailable', detail, { cause })

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

import { loopShare } from '@payments/chassis/base/loop-share'
import { inSpan } from '@payments/chassis/observability/trace'
import type { CheckReason } from '@payments/contracts/services/payment-proxy/orchestrators'
import type { HttpClient } from '@payments/egress/http-client'
import { LocalFailure } from '@payments/egress/local-failure'
import type { Outcome } from '../domain/outcome.ts'
import { parseJson } from './signature.ts'

/**
 * A JSON response, or the reason why no byte of the request left this process. A response with 401, 403 or 429
 * may come from a proxy before the provider: its status is enough, and its body is undefined without JSON.
 */
export type CallResult =
  | { readonly kind: 'response'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'not_sent'; readonly reason: string }

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
  readonly responseBytesMax?: number
  /** For a long response: the tenant in whose share of the event loop it is parsed. */
  readonly tenantId?: string
}

/** A URL or path of a tenant without the slashes at its end, however many it has. */
export function withoutEndSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end -= 1
  return text.slice(0, end)
}

const connectTimeoutMs = 5_000
/** `provider.ts` aborts earlier. This limit holds when a caller has no deadline. */
const totalTimeoutMs = 30_000
const responseBytesDefault = 64 * 1024

/**
 * Sends a request of a connector. Throws when the provider may have processed the request and there is no whole JSON
 * response: the outcome is unknown.
 */
export function callProvider(client: HttpClient, request: HttpRequest, signal: AbortSignal): Promise<CallResult> {
  const { method, url } = request
  const host = URL.canParse(url) ? new URL(url).hostname : undefined
  const attributes = { 'http.request.method': method, 'server.address': host }
  return inSpan(method, { kind: 'client', attributes }, async (add) => {
    const result = await callOnce(client, request, signal)
    if (result.kind === 'response') add({ 'http.response.status_code': result.status })
    return result
  })
}

async function callOnce(client: HttpClient, request: HttpRequest, signal: AbortSignal): Promise<CallResult> {
  const { responseBytesMax = responseBytesDefault, tenantId, ...parts } = request
  const deadlineAt = performance.now() + totalTimeoutMs
  const response = await client
    .request({ ...parts, connectTimeoutMs, responseBytesMax, deadlineAt, signal })
    .catch((error: unknown) => {
      if (!(error instanceof LocalFailure) || error.sent) throw error
      return { failure: 'connect', detail: error.message, sent: false }
    })
  if ('failure' in response) {
    if (!response.sent) return { kind: 'not_sent', reason: response.detail }
    throw new Error(`no response of the provider: ${response.detail}`)
  }
  const { status, truncated, resent } = response
  const isRejected = findRejection(status) !== undefined
  if (isRejected && resent) {
    throw new Error(`the provider responded with ${status}, and may have received the request before`)
  }
  if (truncated && !isRejected) throw new Error(`the response has more than ${responseBytesMax} bytes`)
  if (status >= 500) throw new Error(`the provider responded with ${status}`)
  const parse = () => (truncated ? undefined : parseJson(response.body))
  const body = tenantId === undefined ? parse() : await loopShare.run(tenantId, parse)
  if (body === undefined && !isRejected) throw new Error(`the provider responded with ${status} and no JSON`)
  return { kind: 'response', status, body }
}

/** The provider has rejected the operation with a response that is no outcome. It works. */
export class NoOutcome extends Error {}

/** Statuses by which a provider rejects an operation for what it says, not for its own state. */
const rejections = [400, 409, 422]

export function noOutcome(status: number, cause?: string): Error {
  const message = `the provider responded with ${status}${cause === undefined ? '' : `: ${cause}`}`
  return rejections.includes(status) ? new NoOutcome(message) : new Error(message)
}

export type Response = Extract<CallResult, { kind: 'response' }>

/** Sends a request without effect at the provider. Throws when it was not sent: the outcome stays unknown. */
export async function read(client: HttpClient, request: HttpRequest, signal: AbortSignal): Promise<Response> {
  return requireSent(await callProvider(client, request, signal))
}

export function requireSent(result: CallResult): Response {
  if (result.kind === 'not_sent') throw new Error(`the request was not sent: ${result.reason}`)
  return result
}

/** The outcome of a request to execute an operation. `readOutcome` throws for a response without one. */
export async function toOutcome(
  result: CallResult,
  readOutcome: (response: Response) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  if (result.kind === 'not_sent') return { kind: 'not_attempted', reason: result.reason }
  return findRejection(result.status) ?? readOutcome(result)
}

/** The form of the body decides, not which of the statuses of success the provider chose. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** The result of a read whose response has the expected status and form. Throws for another response. */
export function toCheckReason(result: CallResult, requireForm: (body: unknown) => void): CheckReason {
  if (result.kind === 'not_sent') return 'unreachable'
  const { status, body } = result
  if (status === 401 || status === 403) return 'credentials_rejected'
  if (status === 429) return 'rate_limited'
  if (!isSuccess(status)) throw new Error(`the provider responded with ${status}`)
  requireForm(body)
  return 'accepted'
}

/** The provider did nothing: it rejected the credentials, or too many requests. Undefined: another response. */
function findRejection(status: number): Outcome | undefined {
  if (status === 401 || status === 403) {
    return { kind: 'not_attempted', reason: 'the provider rejected the credentials' }
  }
  if (status === 429) return { kind: 'not_attempted', reason: 'the provider rejected the rate of requests' }
  return undefined
}

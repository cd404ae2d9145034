/** One request to a gateway, and its repetition while a fault is injected. */
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { sessionCookie } from '@payments/contracts/grammar/session-value'

/** Longer than a restart of a server takes on a busy machine. */
const unavailableMaxMs = 60_000
const pool = new Agent({ keepAlive: true, maxSockets: 512 })

/** Pause after a 503 or a lost response. */
export const pauseAfterFailureMs = 25

/** An API key or a JWT, or the session cookie with the host of the console. */
export type Credential =
  | { readonly bearer: string; readonly tenantId?: string | undefined }
  | { readonly cookie: string; readonly host: string }

export type Call = Credential & Request

interface Request {
  readonly method?: string
  readonly path: string
  readonly body?: object | undefined
  /** Of a POST. */
  readonly idempotencyKey?: string
  /** Without a byte, the response is lost after this time. Default: 15 s. */
  readonly timeoutMs?: number
  /** Default: 512 sockets; a call waits for a free one. */
  readonly agent?: Agent
}

/** `sentAt` and `respondedAt` in ms of `performance.now()`. */
export interface Timing {
  readonly sentAt: number
  readonly respondedAt: number
}

export interface Response extends Timing {
  /** 0 without a response. */
  readonly status: number
  readonly body: string
}

export function send(url: string, call: Call): Promise<Response> {
  const { method = 'GET', path, body, idempotencyKey, timeoutMs: timeout = 15_000, agent = pool } = call
  const sentAt = performance.now()
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    ...buildHeaders(call),
    'Trace-ID': randomUUID(),
    ...(method === 'POST' && idempotencyKey !== undefined ? { 'Idempotency-Key': idempotencyKey } : {}),
    ...(text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
  }
  return new Promise((resolve) => {
    const finish = (status: number, received: string) =>
      resolve({ status, body: received, sentAt, respondedAt: performance.now() })
    const outgoing = request(`${url}${path}`, { method, headers, agent, timeout }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => finish(response.statusCode ?? 0, Buffer.concat(chunks).toString()))
      response.on('error', () => finish(0, ''))
    })
    outgoing.on('timeout', () => outgoing.destroy())
    outgoing.on('error', () => finish(0, ''))
    outgoing.end(text)
  })
}

export function buildHeaders(credential: Credential): Record<string, string> {
  if ('cookie' in credential) {
    const { cookie, host } = credential
    return { Host: host, Cookie: `${sessionCookie}=${cookie}`, 'X-Console': '1', 'Sec-Fetch-Site': 'same-origin' }
  }
  const { bearer, tenantId } = credential
  return { Authorization: `Bearer ${bearer}`, ...(tenantId === undefined ? {} : { 'Tenant-ID': tenantId }) }
}

/** Sends a request once. Throws on another status. */
export async function sendOnce(url: string, call: Call, status: number): Promise<Response> {
  const response = await send(url, call)
  if (response.status !== status) throw toError(call, response)
  return response
}

const toError = ({ method, path }: Call, { status, body }: Response) =>
  new Error(`the response to ${method} ${path} was ${status} ${body}`)

/** An earlier attempt of the same request, whose response was lost, has not ended. */
const busyCodes = ['role_being_deleted', 'idempotency_key_in_use']

/**
 * Repeats a request until its status is one of `statuses`, and returns that last response. Throws on any other 4xx, and
 * when the platform stays unavailable.
 */
export async function sendUntil(url: string, call: Call, statuses: readonly number[]): Promise<Response> {
  const idempotencyKey = randomUUID()
  const deadlineAt = performance.now() + unavailableMaxMs
  for (;;) {
    const response = await send(url, { ...call, idempotencyKey })
    if (statuses.includes(response.status)) return response
    const isBusy = response.status === 409 && busyCodes.some((code) => response.body.includes(`"${code}"`))
    const mayRepeat = isBusy || response.status === 0 || response.status >= 500
    if (!mayRepeat || performance.now() > deadlineAt) throw toError(call, response)
    await delay(pauseAfterFailureMs)
  }
}

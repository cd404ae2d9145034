import http, {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { createByteCollector } from '@payments/chassis/base/byte-collector'
import { describeError } from './error-detail.ts'
import { classifyError, type FailureKind } from './error-kind.ts'
import { LocalFailure } from './local-failure.ts'

export interface OutgoingRequest {
  readonly secure: boolean
  readonly options: RequestOptions
  readonly body: Uint8Array | undefined
  readonly connectTimeoutMs: number
  readonly deadlineAt: number
  readonly responseBytesMax: number
  /** Aborts when the process stops. */
  readonly stop?: AbortSignal | undefined
  readonly signal?: AbortSignal | undefined
}

/** When each step was complete, by `performance.now()`. */
export interface Timestamps {
  /** Null for an address, which needs no lookup. */
  resolvedAt: number | null
  connectedAt: number | null
  securedAt: number | null
  firstByteAt: number | null
}

export type ReceivedResponse =
  | {
      readonly status: number
      readonly body: Buffer
      readonly truncated: boolean
      readonly retryAfter: string | undefined
      readonly headers: IncomingHttpHeaders
      /** The request was sent before, on a connection that closed. */
      readonly resent: boolean
    }
  | {
      readonly failure: FailureKind
      readonly detail: string
      /** Whether a part of the request may have been sent. */
      readonly sent: boolean
      /** The status of a response that was not complete. */
      readonly status: number | null
      /** A reused connection was closed under the request, before a response: says nothing about the receiver. */
      readonly stale: boolean
    }

/** Responses with a status of 100 to 199 before the response. Each costs time, and no byte of the body. */
const informationalMax = 10

/**
 * Sends one request. Resolves with the response or its first `responseBytesMax` bytes, with a failure, or with a
 * time-out at the deadline. Rejects with LocalFailure. The request is written once the connection is established and
 * the certificate is verified: a failure before provably sent nothing.
 */
export function sendRequest(outgoing: OutgoingRequest, timestamps: Timestamps): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const request = (outgoing.secure ? https : http).request(outgoing.options)
    let response: IncomingMessage | undefined
    let sent = false
    const finish = (settle: () => void, reusable = false) => {
      clearTimeout(deadline)
      outgoing.stop?.removeEventListener('abort', onStop)
      outgoing.signal?.removeEventListener('abort', onAbort)
      if (!reusable) request.destroy()
      settle()
    }
    const fail = (failure: FailureKind, detail: string, stale = false) =>
      finish(() => resolve({ failure, detail, sent, status: response?.statusCode ?? null, stale }))
    const onError = (error: Error) => {
      // Bytes after the end of a complete response: its body follows, and Node has closed the connection.
      if (response?.complete === true) return
      try {
        const kind = classifyError(error, { connected: sent })
        const stale = request.reusedSocket && response === undefined && kind === 'reset'
        fail(kind, describeError(kind, error), stale)
      } catch (localFailure) {
        finish(() => reject(Object.assign(localFailure as LocalFailure, { sent })))
      }
    }
    const onStop = () => finish(() => reject(Object.assign(new LocalFailure('the process is stopping', 0), { sent })))
    const onAbort = () =>
      fail('timeout', response === undefined ? 'no response in time' : 'the response did not end in time')
    const deadline = setTimeout(onAbort, Math.max(0, outgoing.deadlineAt - performance.now()))
    outgoing.stop?.addEventListener('abort', onStop)
    outgoing.signal?.addEventListener('abort', onAbort)
    request.on('error', onError)
    request.on('socket', (socket: Socket) =>
      watchConnection(outgoing, request, socket, timestamps, {
        connected: () => {
          sent = true
          request.end(outgoing.body)
        },
        overdue: () => fail('connect', `no connection within ${outgoing.connectTimeoutMs} ms`),
      }),
    )
    let informational = 0
    request.on('information', () => {
      informational += 1
      if (informational > informationalMax) fail('protocol', `more than ${informationalMax} informational responses`)
    })
    request.on('upgrade', () => fail('protocol', 'the receiver switched protocols'))
    request.on('response', (incoming: IncomingMessage) => {
      response = incoming
      timestamps.firstByteAt = performance.now()
      readBody(incoming, outgoing.responseBytesMax, {
        complete: (body, truncated) => finish(() => resolve({ ...readHead(incoming), body, truncated }), !truncated),
        failed: (detail) => fail('reset', detail),
      })
    })
    if (outgoing.stop?.aborted === true) onStop()
    else if (outgoing.signal?.aborted === true) onAbort()
  })
}

function readHead({ statusCode, headers }: IncomingMessage) {
  return { status: statusCode ?? 0, retryAfter: headers['retry-after'], headers, resent: false }
}

interface ConnectionEvents {
  connected(): void
  overdue(): void
}

function watchConnection(
  { secure, connectTimeoutMs }: OutgoingRequest,
  request: ClientRequest,
  socket: Socket,
  timestamps: Timestamps,
  events: ConnectionEvents,
): void {
  if (!socket.connecting) {
    events.connected()
    return
  }
  const timer = setTimeout(() => events.overdue(), connectTimeoutMs)
  const established = () => {
    clearTimeout(timer)
    events.connected()
  }
  socket.once('connect', () => {
    timestamps.connectedAt = performance.now()
    if (!secure) established()
  })
  socket.once('secureConnect', () => {
    timestamps.securedAt = performance.now()
    established()
  })
  request.once('close', () => clearTimeout(timer))
}

interface BodyEvents {
  complete(body: Buffer, truncated: boolean): void
  failed(detail: string): void
}

/**
 * Reads at most `bytesMax` and never more. Compressed bodies stay compressed. A body of too many small chunks counts as
 * truncated.
 */
function readBody(response: IncomingMessage, bytesMax: number, events: BodyEvents): void {
  const body = createByteCollector(bytesMax)
  let ended = false
  const once = (report: () => void) => {
    if (ended) return
    ended = true
    report()
  }
  response.on('data', (chunk: Buffer) => {
    if (ended) return
    const excess = body.excess(chunk)
    if (excess === undefined) return body.add(chunk)
    if (excess === 'too_many_bytes') body.add(chunk.subarray(0, bytesMax - body.collected().length))
    once(() => events.complete(body.collected(), true))
  })
  response.on('end', () => once(() => events.complete(body.collected(), false)))
  const onCut = () => once(() => events.failed('the response ended before it was complete'))
  response.on('error', onCut)
  response.on('close', onCut)
}

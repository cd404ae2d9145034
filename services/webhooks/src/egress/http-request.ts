import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import type { ErrorKind } from '@payments/contracts/webhooks-delivery'
import { LocalFailure } from '../domain/local-failure.ts'
import { errorDetailOf } from './error-detail.ts'
import { errorKindOf } from './error-kind.ts'

export interface OutgoingRequest {
  readonly secure: boolean
  readonly options: RequestOptions
  readonly body: Uint8Array
  readonly connectTimeoutMs: number
  /** `performance.now()` at which the request ends at the latest. */
  readonly deadlineAt: number
  readonly responseBytesMax: number
  readonly shutdown: Shutdown
}

/** The requests to abort when the process stops. An AbortSignal searches all its listeners to add one. */
export interface Shutdown {
  readonly started: boolean
  readonly aborts: Set<() => void>
}

/** When each step was complete, by `performance.now()`. */
export interface Timestamps {
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
    }
  | {
      readonly failure: ErrorKind
      readonly detail: string
      /** The status of a response that was not complete. */
      readonly status: number | null
      /** A reused connection was closed under the request, before a response: says nothing about the receiver. */
      readonly stale: boolean
    }

/**
 * Sends one POST. Resolves with the response or its first `responseBytesMax` bytes, with a failure, or with a
 * time-out at the deadline. Rejects with LocalFailure.
 */
export function sendRequest(outgoing: OutgoingRequest, timestamps: Timestamps): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const request = (outgoing.secure ? https : http).request(outgoing.options)
    let response: IncomingMessage | undefined
    let connected = false
    const finish = (settle: () => void, reusable = false) => {
      clearTimeout(deadline)
      outgoing.shutdown.aborts.delete(onShutdown)
      if (!reusable) request.destroy()
      settle()
    }
    const fail = (failure: ErrorKind, detail: string, stale = false) =>
      finish(() => resolve({ failure, detail, status: response?.statusCode ?? null, stale }))
    const onError = (error: Error) => {
      try {
        const stale = request.reusedSocket && response === undefined
        const kind = errorKindOf(error, { connected: connected || request.reusedSocket })
        fail(kind, errorDetailOf(kind, error), stale)
      } catch (localFailure) {
        finish(() => reject(localFailure))
      }
    }
    const onShutdown = () => finish(() => reject(new LocalFailure('the dispatcher is stopping', 0)))
    const deadline = setTimeout(
      () => fail('timeout', response === undefined ? 'no response in time' : 'the response did not end in time'),
      Math.max(0, outgoing.deadlineAt - performance.now()),
    )
    outgoing.shutdown.aborts.add(onShutdown)
    request.on('error', onError)
    request.on('socket', (socket: Socket) =>
      watchConnection(outgoing, request, socket, timestamps, {
        connected: () => {
          connected = true
        },
        overdue: () => fail('connect', `no connection within ${outgoing.connectTimeoutMs} ms`),
      }),
    )
    request.on('upgrade', () => fail('protocol', 'the receiver switched protocols'))
    request.on('response', (incoming: IncomingMessage) => {
      response = incoming
      timestamps.firstByteAt = performance.now()
      readBody(incoming, outgoing.responseBytesMax, {
        complete: (body, truncated) => finish(() => resolve({ ...headOf(incoming), body, truncated }), !truncated),
        failed: (detail) => fail('reset', detail),
      })
    })
    if (outgoing.shutdown.started) onShutdown()
    else request.end(outgoing.body)
  })
}

function headOf({ statusCode, headers }: IncomingMessage) {
  return { status: statusCode ?? 0, retryAfter: headers['retry-after'] }
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

/** Reads at most `bytesMax` and never more. Compressed bodies stay compressed. */
function readBody(response: IncomingMessage, bytesMax: number, events: BodyEvents): void {
  const chunks: Buffer[] = []
  let bytes = 0
  let ended = false
  const once = (report: () => void) => {
    if (ended) return
    ended = true
    report()
  }
  response.on('data', (chunk: Buffer) => {
    if (ended) return
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > bytesMax) once(() => events.complete(Buffer.concat(chunks).subarray(0, bytesMax), true))
  })
  response.on('end', () => once(() => events.complete(Buffer.concat(chunks), false)))
  const onCut = () => once(() => events.failed('the response ended before it was complete'))
  response.on('error', onCut)
  response.on('close', onCut)
}

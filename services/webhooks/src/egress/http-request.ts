import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import type { ErrorKind } from '@payments/contracts/webhooks-delivery'
import { LocalFailure } from '../domain/local-failure.ts'
import { errorDetailOf } from './error-detail.ts'
import { errorKindOf } from './error-kind.ts'

export interface Exchange {
  readonly secure: boolean
  readonly options: RequestOptions
  readonly body: Uint8Array
  readonly connectTimeoutMs: number
  /** `performance.now()` at which all must be over. */
  readonly deadlineAt: number
  readonly responseBytesMax: number
  readonly stopping: Stopping
}

/** What is to be given up when the process stops. A signal would look through all its listeners to add one. */
export interface Stopping {
  readonly begun: boolean
  readonly giveUp: Set<() => void>
}

export interface Marks {
  connectedAt: number | null
  securedAt: number | null
  firstByteAt: number | null
}

export type Answer =
  | {
      readonly status: number
      readonly body: Buffer
      readonly truncated: boolean
      readonly retryAfter: string | undefined
    }
  | {
      readonly failure: ErrorKind
      readonly detail: string
      /** What had come by then. */
      readonly status: number | null
      /** A connection kept from before was closed under the request: nothing is known of the receiver yet. */
      readonly stale: boolean
    }

/** One POST, to the first of: the answer, `responseBytesMax` of it, a failure, the deadline. Rejects with LocalFailure. */
export function exchange(given: Exchange, marks: Marks): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = (given.secure ? https : http).request(given.options)
    let response: IncomingMessage | undefined
    let connected = false
    const finish = (settle: () => void, kept = false) => {
      clearTimeout(deadline)
      given.stopping.giveUp.delete(onStop)
      if (!kept) request.destroy()
      settle()
    }
    const fail = (failure: ErrorKind, detail: string, stale = false) =>
      finish(() => resolve({ failure, detail, status: response?.statusCode ?? null, stale }))
    const onError = (error: Error) => {
      try {
        const stale = request.reusedSocket && response === undefined
        const kind = errorKindOf(error, { connected: connected || request.reusedSocket })
        fail(kind, errorDetailOf(kind, error), stale)
      } catch (fault) {
        finish(() => reject(fault))
      }
    }
    const onStop = () => finish(() => reject(new LocalFailure('the dispatcher stops', 0)))
    const deadline = setTimeout(
      () => fail('timeout', response === undefined ? 'no answer in time' : 'the answer did not end in time'),
      Math.max(0, given.deadlineAt - performance.now()),
    )
    given.stopping.giveUp.add(onStop)
    request.on('error', onError)
    request.on('socket', (socket: Socket) =>
      watchConnection(given, request, socket, marks, {
        connected: () => {
          connected = true
        },
        overdue: () => fail('connect', `no connection in ${given.connectTimeoutMs} ms`),
      }),
    )
    request.on('upgrade', () => fail('protocol', 'switched protocols'))
    request.on('response', (incoming: IncomingMessage) => {
      response = incoming
      marks.firstByteAt = performance.now()
      readBody(incoming, given.responseBytesMax, {
        done: (body, truncated) =>
          finish(
            () =>
              resolve({
                status: incoming.statusCode ?? 0,
                body,
                truncated,
                retryAfter: incoming.headers['retry-after'],
              }),
            !truncated,
          ),
        failed: (detail) => fail('reset', detail),
      })
    })
    if (given.stopping.begun) onStop()
    else request.end(given.body)
  })
}

interface ConnectionEvents {
  connected(): void
  overdue(): void
}

function watchConnection(
  { secure, connectTimeoutMs }: Exchange,
  request: ClientRequest,
  socket: Socket,
  marks: Marks,
  events: ConnectionEvents,
): void {
  if (!socket.connecting) {
    events.connected()
    return
  }
  const timer = setTimeout(() => events.overdue(), connectTimeoutMs)
  const stood = () => {
    clearTimeout(timer)
    events.connected()
  }
  socket.once('connect', () => {
    marks.connectedAt = performance.now()
    if (!secure) stood()
  })
  socket.once('secureConnect', () => {
    marks.securedAt = performance.now()
    stood()
  })
  request.once('close', () => clearTimeout(timer))
}

interface BodyEvents {
  done(body: Buffer, truncated: boolean): void
  failed(detail: string): void
}

/** Reads at most `bytesMax`; what is beyond is never read. Compressed bodies stay as they are. */
function readBody(response: IncomingMessage, bytesMax: number, events: BodyEvents): void {
  const chunks: Buffer[] = []
  let bytes = 0
  let over = false
  const once = (report: () => void) => {
    if (over) return
    over = true
    report()
  }
  response.on('data', (chunk: Buffer) => {
    if (over) return
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > bytesMax) once(() => events.done(Buffer.concat(chunks).subarray(0, bytesMax), true))
  })
  response.on('end', () => once(() => events.done(Buffer.concat(chunks), false)))
  response.on('error', () => once(() => events.failed('the answer broke off')))
  response.on('close', () => once(() => events.failed('the answer broke off')))
}

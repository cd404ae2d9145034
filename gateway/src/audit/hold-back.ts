import { OutgoingMessage } from 'node:http'
import type { Express, Response } from 'express'

/**
 * Holds back the end of each answer until its audit record is written.
 *
 * Who answers, be it Express or the pipe from a service, calls `write` and `end` as ever. The last chunk is always kept back
 * here: it goes out when the next one comes, or when this round of the event loop ends without one, all but its last byte. At
 * the end the record is made, since only now all of it is known, and what is left goes out when `record` releases it: of an
 * answer that comes in one piece, as nearly all do, the whole. So who has read an answer to its end has a record, though this
 * process be killed in the next moment; a long answer still flows as it comes.
 *
 * While anything is held the answer counts as begun (`headersSent`), so nobody answers a second time.
 */
export type Release = (substitute?: Substitute) => void

/** What is answered in place of an answer that could not be recorded; where that has begun to flow, it is cut off. */
export interface Substitute {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Held {
  readonly record: (release: Release) => void
  chunk: Parameters<Write> | undefined
  hasEnded: boolean
}

const held = new WeakMap<object, Held>()
/** Those with a chunk that came in this round. */
let fresh: Response[] = []

/** From now on `record` is called once, when the answer is complete. Not called for an answer that breaks off. */
export function holdBack(response: Response, record: (release: Release) => void): void {
  held.set(response, { record, chunk: undefined, hasEnded: false })
}

type Write = (this: Response, chunk: unknown, encoding?: unknown, callback?: unknown) => boolean
type End = (this: Response, chunk?: unknown, encoding?: unknown, callback?: unknown) => Response

/** Teaches the responses of an app to be held back. */
export function teachHoldingBack(app: Express): void {
  const prototype = app.response as unknown as { write: Write; end: End }
  const { write, end } = prototype
  const headersSent = Object.getOwnPropertyDescriptor(OutgoingMessage.prototype, 'headersSent')
  Object.defineProperty(prototype, 'headersSent', {
    configurable: true,
    get(this: Response): boolean {
      const state = held.get(this)
      return state?.chunk !== undefined || state?.hasEnded === true || headersSent?.get?.call(this) === true
    },
  })
  prototype.write = function (chunk, encoding, callback) {
    const state = held.get(this)
    if (state === undefined) return write.call(this, chunk, encoding, callback)
    if (state.hasEnded) return false
    if (fresh.length === 0) setImmediate(() => letFlow(write))
    fresh.push(this)
    return keep(this, state, write, [chunk, encoding, callback])
  }
  prototype.end = function (chunk, encoding, callback) {
    const state = held.get(this)
    if (state === undefined) return end.call(this, chunk, encoding, callback)
    if (state.hasEnded) return this
    const whenDone = [chunk, encoding, callback].find((parameter) => typeof parameter === 'function')
    if (typeof whenDone === 'function') this.once('finish', whenDone as () => void)
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) {
      keep(this, state, write, typeof encoding === 'string' ? [chunk, encoding] : [chunk])
    }
    state.hasEnded = true
    state.record((substitute) => {
      held.delete(this)
      if (this.destroyed) return
      try {
        if (substitute !== undefined) substituteFor(this, end, substitute)
        else end.call(this, ...inOneWrite(state.chunk ?? []))
      } catch (error) {
        // An answer that Node refuses to send must not reach whoever wrote the record.
        this.destroy(error as Error)
      }
    })
    return this
  }
}

const joinedBytesMax = 16 * 1024

/** Node sends headers and bytes as two pieces, headers and a string as one: latin1 is one character for each byte. */
function inOneWrite(chunk: Parameters<Write> | []): Parameters<Write> | [] {
  const [bytes] = chunk
  return Buffer.isBuffer(bytes) && bytes.length <= joinedBytesMax ? [bytes.toString('latin1'), 'latin1'] : chunk
}

/** Keeps a chunk back, and lets the one before go. False where the client should be waited for. */
function keep(response: Response, state: Held, write: Write, chunk: Parameters<Write>): boolean {
  const before = state.chunk
  state.chunk = chunk
  return before === undefined ? true : write.call(response, ...before)
}

/** What did not end in the round in which it came is a long answer, or a slow one. */
function letFlow(write: Write): void {
  const responses = fresh
  fresh = []
  for (const response of responses) {
    const state = held.get(response)
    const [data, encoding] = state?.chunk ?? []
    if (state === undefined || state.hasEnded || data === undefined || response.destroyed) continue
    const bytes =
      typeof data === 'string' ? Buffer.from(data, encoding as BufferEncoding | undefined) : (data as Buffer)
    if (bytes.length < 2) continue
    state.chunk = [bytes.subarray(-1)]
    write.call(response, bytes.subarray(0, -1))
  }
}

function substituteFor(response: Response, end: End, { status, headers, body }: Substitute): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  end.call(response, body)
}

import { OutgoingMessage } from 'node:http'
import type { Express, Response } from 'express'

/**
 * Holds each response until its audit record is written.
 *
 * **What it does.** `write` and `end` of a response are intercepted. Of a response that shows no secret, the last chunk is held:
 * it leaves when the next one comes, or when this round of the event loop ends without one, all but its last byte. Of a
 * response that `isBuffered` names, nothing leaves, headers included.
 *
 * **Participants.** Express or the pipe from a service, which call `write` and `end` as ever; `record`, which is called at the end
 * of the response and releases what is held, or puts a fallback response in its place.
 *
 * **Guarantees.** A client that has read a response to its end has a record, even if this process is killed in the next moment.
 * A client has read no byte of a whole response before `record` released it. At most `bufferedBytesMax` of one whole response
 * and `bufferedBytesTotalMax` of all are held; a larger one is discarded, and `record` is told so.
 *
 * **Not guaranteed.** That a response which is cut off was not read in part, where it is not a whole one.
 *
 * While anything is held the response counts as begun (`headersSent`), so no second response is made.
 */
export type Release = (substitute?: FallbackResponse) => void

/** What is answered in place of an answer that could not be recorded; where that has begun to flow, it is cut off. */
export interface FallbackResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface ResponseGateOptions {
  /** Called once, when the response is complete; not called for one that breaks off. */
  readonly record: (release: Release, isTooLarge: boolean) => void
  /** Whether nothing may leave before the record is written. Asked at each chunk: the route is known after the gate is set. */
  readonly isBuffered: () => boolean
}

interface Held extends ResponseGateOptions {
  chunk: Parameters<Write> | undefined
  /** Of a whole response, all that came. */
  whole: Buffer[] | undefined
  wholeBytes: number
  isTooLarge: boolean
  hasEnded: boolean
}

/** A reveal of this size is a fault of the service. */
export const bufferedBytesMax = 16 * 1024 * 1024
export const bufferedBytesTotalMax = 64 * 1024 * 1024
let wholeBytesInAll = 0

const held = new WeakMap<object, Held>()
/** Those with a chunk that came in this round. */
let fresh: Response[] = []

/** From now on the response is held. */
export function gateResponse(response: Response, options: ResponseGateOptions): void {
  const state: Held = {
    ...options,
    chunk: undefined,
    whole: undefined,
    wholeBytes: 0,
    isTooLarge: false,
    hasEnded: false,
  }
  held.set(response, state)
  response.once('close', () => discard(state))
}

/** Forgets the bytes of a whole response. */
function discard(state: Held): void {
  wholeBytesInAll -= state.wholeBytes
  state.wholeBytes = 0
  if (state.whole !== undefined) state.whole = []
}

type Write = (this: Response, chunk: unknown, encoding?: unknown, callback?: unknown) => boolean
type End = (this: Response, chunk?: unknown, encoding?: unknown, callback?: unknown) => Response

/** Teaches the responses of an app to be held back. */
export function installResponseGate(app: Express): void {
  const prototype = app.response as unknown as { write: Write; end: End }
  const { write, end } = prototype
  const headersSent = Object.getOwnPropertyDescriptor(OutgoingMessage.prototype, 'headersSent')
  Object.defineProperty(prototype, 'headersSent', {
    configurable: true,
    get(this: Response): boolean {
      const state = held.get(this)
      return (
        state?.chunk !== undefined ||
        state?.whole !== undefined ||
        state?.hasEnded === true ||
        headersSent?.get?.call(this) === true
      )
    },
  })
  prototype.write = function (chunk, encoding, callback) {
    const state = held.get(this)
    if (state === undefined) return write.call(this, chunk, encoding, callback)
    if (state.hasEnded) return false
    if (state.isBuffered()) return keepWhole(state, chunk, encoding, callback)
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
      if (state.isBuffered()) keepWhole(state, chunk, encoding)
      else keep(this, state, write, typeof encoding === 'string' ? [chunk, encoding] : [chunk])
    }
    state.hasEnded = true
    state.record((substitute) => {
      held.delete(this)
      const whole = state.whole
      discard(state)
      if (this.destroyed) return
      try {
        if (substitute !== undefined) substituteFor(this, end, substitute)
        else end.call(this, ...inOneWrite(whole === undefined ? (state.chunk ?? []) : [Buffer.concat(whole)]))
      } catch (error) {
        // A response that Node refuses to send must not become an error of the record's writer.
        this.destroy(error as Error)
      }
    }, state.isTooLarge)
    return this
  }
}

/** Keeps all of a whole response; beyond the limits it is discarded to its end, so that the service is not left waiting. */
function keepWhole(state: Held, chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
  const bytes =
    typeof chunk === 'string'
      ? Buffer.from(chunk, encoding as BufferEncoding | undefined)
      : Buffer.from(chunk as Buffer)
  state.whole ??= []
  state.isTooLarge ||=
    state.wholeBytes + bytes.length > bufferedBytesMax || wholeBytesInAll + bytes.length > bufferedBytesTotalMax
  if (state.isTooLarge) discard(state)
  else {
    state.whole.push(bytes)
    state.wholeBytes += bytes.length
    wholeBytesInAll += bytes.length
  }
  const done = [encoding, callback].find((parameter) => typeof parameter === 'function')
  if (typeof done === 'function') process.nextTick(done as () => void)
  return true
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

function substituteFor(response: Response, end: End, { status, headers, body }: FallbackResponse): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  end.call(response, body)
}

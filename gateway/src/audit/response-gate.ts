import { OutgoingMessage } from 'node:http'
import type { Express, Response } from 'express'

/**
 * **What it does.** Delays the end of a response until its audit record is written.
 *
 * **Participants.** A response passes, except for its end: the gate retains the latest chunk until the next one
 * arrives, or, when the turn of the event loop ends, its last byte alone. `record` releases the retained bytes or sends
 * a fallback response.
 *
 * **Guarantees.** A client that has read a whole response has a record, even if the process is killed then. No byte of
 * a response of one chunk leaves before `record` releases it, headers included.
 *
 * **Not guaranteed.** That a client reads nothing of a response that is cut off.
 */
type Release = (fallback?: FallbackResponse) => void

/** Sent instead of a response that cannot be recorded. A response whose first bytes were sent is cut off instead. */
export interface FallbackResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface GateState {
  readonly record: (release: Release) => void
  /** The retained chunk. */
  chunk: Parameters<Write> | undefined
  hasEnded: boolean
}

const gate = Symbol('response gate')
type GatedResponse = Response & { [gate]?: GateState | undefined }

/** Responses with a chunk that arrived in this event loop round. */
let pending: GatedResponse[] = []

/**
 * From this call on, the gate retains the end of the response until its record is written. `record` is called once,
 * when the response is complete; not for a response that is cut off.
 */
export function gateResponse(response: Response, record: GateState['record']): void {
  ;(response as GatedResponse)[gate] = { record, chunk: undefined, hasEnded: false }
}

type Write = (this: GatedResponse, chunk: unknown, encoding?: unknown, callback?: unknown) => boolean
type End = (this: GatedResponse, chunk?: unknown, encoding?: unknown, callback?: unknown) => Response

/** Installs the gate in the responses of an app. `gateResponse` activates the gate per response. */
export function installResponseGate(app: Express): void {
  const prototype = app.response as unknown as { write: Write; end: End }
  const { write, end } = prototype
  const headersSent = Object.getOwnPropertyDescriptor(OutgoingMessage.prototype, 'headersSent')
  Object.defineProperty(prototype, 'headersSent', {
    configurable: true,
    get(this: GatedResponse): boolean {
      const state = this[gate]
      return state?.chunk !== undefined || state?.hasEnded === true || headersSent?.get?.call(this) === true
    },
  })
  prototype.write = function (chunk, encoding, callback) {
    const state = this[gate]
    if (state === undefined) return write.call(this, chunk, encoding, callback)
    if (state.hasEnded) return false
    if (pending.length === 0) setImmediate(() => releasePending(write))
    pending.push(this)
    return retainChunk(this, state, write, [chunk, encoding, callback])
  }
  prototype.end = function (chunk, encoding, callback) {
    const state = this[gate]
    if (state === undefined) return end.call(this, chunk, encoding, callback)
    if (state.hasEnded) return this
    const whenDone = [chunk, encoding, callback].find((parameter) => typeof parameter === 'function')
    if (typeof whenDone === 'function') this.once('finish', whenDone as () => void)
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) {
      retainChunk(this, state, write, typeof encoding === 'string' ? [chunk, encoding] : [chunk])
    }
    state.hasEnded = true
    state.record((fallback) => {
      this[gate] = undefined
      if (this.destroyed) return
      try {
        if (fallback !== undefined) sendFallback(this, end, fallback)
        else end.call(this, ...inOneWrite(state.chunk ?? []))
      } catch (error) {
        // An error of Node for this response must not become an error of the audit writer.
        this.destroy(error as Error)
      }
    })
    return this
  }
}

const joinedBytesMax = 16 * 1024

/**
 * Node sends headers and bytes in two writes, but headers and a string in one. latin1 maps each byte to one character.
 */
function inOneWrite(chunk: Parameters<Write> | []): Parameters<Write> | [] {
  const [bytes] = chunk
  return Buffer.isBuffer(bytes) && bytes.length <= joinedBytesMax ? [bytes.toString('latin1'), 'latin1'] : chunk
}

/** Retains a chunk and writes the previous one. False when the caller must wait for `drain`. */
function retainChunk(response: Response, state: GateState, write: Write, chunk: Parameters<Write>): boolean {
  const previous = state.chunk
  state.chunk = chunk
  return previous === undefined ? true : write.call(response, ...previous)
}

/** Writes all but the last byte of retained chunks. A response that is still open after its round is long or slow. */
function releasePending(write: Write): void {
  const responses = pending
  pending = []
  for (const response of responses) {
    const state = response[gate]
    const [data, encoding] = state?.chunk ?? []
    if (state === undefined || state.hasEnded || data === undefined || response.destroyed) continue
    const bytes =
      typeof data === 'string' ? Buffer.from(data, encoding as BufferEncoding | undefined) : (data as Buffer)
    if (bytes.length < 2) continue
    state.chunk = [bytes.subarray(-1)]
    write.call(response, bytes.subarray(0, -1))
  }
}

function sendFallback(response: Response, end: End, { status, headers, body }: FallbackResponse): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  end.call(response, body)
}

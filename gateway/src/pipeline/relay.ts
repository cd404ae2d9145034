import type { IncomingMessage } from 'node:http'
import { type ByteCollector, createByteCollector } from '@payments/chassis/base/byte-collector'
import type { Response } from 'express'
import type { ForwardedCall } from './forwarded-call.ts'

/**
 * Relays the body of a service's response to the client, with fewer listeners than `pipe` of Node. Reads no faster than
 * the client does. When the client leaves before the end, reads the rest and drops it.
 *
 * A body of `length` bytes that arrives in one piece ends the response at once, in one write with its headers. Without
 * `length`, the response ends at the end of the source.
 */
export function relay(source: IncomingMessage, response: Response, length: number | undefined): void {
  let isWhole = false
  source.on('data', (chunk: Buffer) => {
    if (response.destroyed) return
    isWhole = chunk.length === length
    if (isWhole) response.end(chunk)
    else if (!response.write(chunk)) {
      source.pause()
      response.once('drain', () => source.resume())
    }
  })
  source.on('end', () => {
    if (!isWhole && !response.destroyed) response.end()
  })
  response.on('close', () => source.resume())
}

/** A reveal above this size is a fault of the service. */
export const revealBytesMax = 16 * 1024 * 1024
export const revealBytesTotalMax = 64 * 1024 * 1024
let revealBytesTotal = 0

/**
 * Relays a response that reveals a secret as one chunk, so that the response gate sends no byte before the record is on
 * the disk. A body beyond a limit is read to its end and dropped, and the call `isTooLarge`.
 */
export function relayReveal(source: IncomingMessage, response: Response, call: ForwardedCall): void {
  let body: ByteCollector | undefined = createByteCollector(revealBytesMax)
  let bytes = 0
  const drop = () => {
    body = undefined
    revealBytesTotal -= bytes
    bytes = 0
  }
  source.on('data', (chunk: Buffer) => {
    if (body === undefined) return
    call.isTooLarge = body.excess(chunk) !== undefined || revealBytesTotal + chunk.length > revealBytesTotalMax
    if (call.isTooLarge) return drop()
    body.add(chunk)
    bytes += chunk.length
    revealBytesTotal += chunk.length
  })
  source.on('end', () => {
    if (!response.destroyed) response.end(body?.collected())
  })
  response.on('close', drop)
}

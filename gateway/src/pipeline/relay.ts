import type { IncomingMessage } from 'node:http'
import type { Response } from 'express'

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

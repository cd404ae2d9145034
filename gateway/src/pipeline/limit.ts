import { commonProblems, Problem } from '@payments/contracts/problem'
import type { Request, Response } from 'express'
import type { Exchange } from '../exchange.ts'
import type { FailedAuthentications } from '../failed-authentications.ts'

const bodyBytesMax = 256 * 1024

export function refuseAddress(failures: FailedAuthentications, { address }: Exchange): void {
  const seconds = failures.refusedForSeconds(address)
  if (seconds === undefined) return
  const detail = 'Too many failed authentications from this address'
  throw new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds: seconds })
}

/**
 * At most 256 KiB of body. A body of announced length is judged by its announcement, which the HTTP parser enforces,
 * and streamed: the answer is null. One of unknown length is read here, so that a service never sees the beginning of
 * what turns out too large.
 */
export async function limitBody(request: Request): Promise<Buffer | null> {
  const announced = request.headers['content-length']
  if (announced !== undefined) {
    if (Number(announced) > bodyBytesMax) throw new Problem(commonProblems.payload_too_large)
    return null
  }
  const encoding = request.headers['transfer-encoding']
  if (encoding === undefined) return null
  if (encoding.toLowerCase() !== 'chunked') throw new Problem(commonProblems.unsupported_media_type)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) throw new Problem(commonProblems.payload_too_large)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const lingerMs = 2_000

/**
 * A request may be answered before it has been received. What is left of it is read and thrown away, so that the client
 * gets to read the answer, but not for long.
 */
export function cutOffStraggler(request: Request, response: Response): void {
  response.once('close', () => {
    if (request.complete || request.socket.destroyed) return
    request.resume()
    const timer = setTimeout(() => request.socket.destroy(), lingerMs)
    request.once('close', () => clearTimeout(timer))
  })
}

import { commonProblems, Problem } from '@payments/contracts/problem'
import type { Request, Response } from 'express'
import type { Principal } from '../authorization/resolver.ts'
import type { BodyBudget, BodyReservation } from '../limits/body-budget.ts'
import { type Exchange, whenOver } from './request-context.ts'

const bodyBytesMax = 256 * 1024

/**
 * Reads the whole body, before an upstream connection is taken and before the last decision about the request. Returns
 * null, without a promise, where the request has none.
 *
 * Throws payload_too_large beyond 256 KiB, unsupported_media_type for a transfer coding other than chunked, and what the
 * budget refuses; request_timeout when the deadline has passed. Also rejects when the client leaves.
 */
export function readBody(
  budget: BodyBudget,
  principal: Principal,
  exchange: Exchange,
  request: Request,
  response: Response,
): Promise<Buffer> | null {
  const announced = request.headers['content-length']
  const encoding = request.headers['transfer-encoding']
  if (encoding === undefined && (announced === undefined || Number(announced) === 0)) return null
  if (Number(announced ?? 0) > bodyBytesMax) throw new Problem(commonProblems.payload_too_large)
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    throw new Problem(commonProblems.unsupported_media_type)
  }
  const reservation = budget.reserve(principal)
  whenOver(response, exchange, () => reservation.release())
  if (announced === undefined) return collect(request, reservation, budget.deadlineMs)
  const refusal = reservation.grow(Number(announced))
  if (refusal !== undefined) throw refusal
  // The HTTP parser ends the body where it was announced to end.
  return collect(request, undefined, budget.deadlineMs)
}

function collect(request: Request, reservation: BodyReservation | undefined, deadlineMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const finish = (problem?: Problem) => {
      clearTimeout(timer)
      request.off('data', onData).off('end', onEnd).off('close', onClose)
      if (problem === undefined) resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes))
      else {
        // What still arrives is dropped by cutOffStraggler once the response is out.
        request.pause()
        reject(problem)
      }
    }
    const timer = setTimeout(() => finish(new Problem(commonProblems.request_timeout)), deadlineMs)
    const onData = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > bodyBytesMax) return finish(new Problem(commonProblems.payload_too_large))
      const refusal = reservation?.grow(chunk.length)
      if (refusal !== undefined) return finish(refusal)
      chunks.push(chunk)
    }
    const onEnd = () => finish()
    /** Before its end: the client has left, so nobody reads the problem. */
    const onClose = () => finish(new Problem(commonProblems.request_timeout))
    request.on('data', onData).on('end', onEnd).on('close', onClose)
    if (request.destroyed) onClose()
  })
}

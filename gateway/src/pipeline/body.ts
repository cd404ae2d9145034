import { commonProblems, Problem } from '@payments/contracts/problem'
import type { Request, Response } from 'express'
import type { BodyBudget, BodyReservation, BodySender } from '../limits/body-budget.ts'
import { type CurrentContext, whenRequestEnds } from './request-context.ts'

const bodyBytesMax = 256 * 1024

/**
 * Reads the whole body, before the gateway takes an upstream connection and authorizes the request again. Returns
 * null, without a promise, when the request has no body. `budget` holds the bytes until the request ends.
 *
 * Throws payload_too_large beyond 256 KiB, and unsupported_media_type for a transfer coding other than chunked. Throws
 * request_timeout after the deadline of the budget or when the client leaves. Passes on the problems of the budget.
 */
export function readBody(
  budget: BodyBudget,
  sender: BodySender,
  request: Request,
  response: Response,
  current: CurrentContext,
): Promise<Buffer> | null {
  const announced = request.headers['content-length']
  const encoding = request.headers['transfer-encoding']
  if (encoding === undefined && (announced === undefined || Number(announced) === 0)) return null
  if (Number(announced ?? 0) > bodyBytesMax) throw tooLarge()
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    const detail = 'The request has a Transfer-Encoding other than chunked'
    throw new Problem(commonProblems.unsupported_media_type, { detail })
  }
  const reservation = budget.reserve(sender)
  whenRequestEnds(response, current, () => reservation.release())
  if (announced === undefined) return collect(request, reservation, budget.deadlineMs)
  const rejection = reservation.grow(Number(announced))
  if (rejection !== undefined) throw rejection
  // The HTTP parser ends the body at its announced length.
  return collect(request, undefined, budget.deadlineMs)
}

function tooLarge(): Problem {
  return new Problem(commonProblems.payload_too_large, { detail: 'The request body has more than 256 KiB' })
}

function incomplete(): Problem {
  return new Problem(commonProblems.request_timeout, {
    detail: 'The gateway did not receive the whole request body in time',
  })
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
        // drainUnreadBody drops the rest once the response has ended.
        request.pause()
        reject(problem)
      }
    }
    const timer = setTimeout(() => finish(incomplete()), deadlineMs)
    const onData = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > bodyBytesMax) return finish(tooLarge())
      const rejection = reservation?.grow(chunk.length)
      if (rejection !== undefined) return finish(rejection)
      chunks.push(chunk)
    }
    const onEnd = () => finish()
    /** Without an end: the client has left, and no response is sent. */
    const onClose = () => finish(incomplete())
    request.on('data', onData).on('end', onEnd).on('close', onClose)
    if (request.destroyed) onClose()
  })
}

import { createByteCollector } from '@payments/chassis/base/byte-collector'
import { bodyBytesLimit, bodyTimeoutMs, type Endpoint } from '@payments/contracts/grammar/contract'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { Request, Response } from 'express'
import type { BodyBudget, BodyReservation, BodySender } from '../limits/body-budget.ts'
import { whenRequestEnds } from './forwarded-call.ts'
import type { CurrentContext } from './request-context.ts'

interface ReadBody {
  readonly sender: BodySender
  readonly endpoint: Endpoint
  /** Called for a body that costs more than others. */
  readonly charge?: () => void
}

/**
 * Reads the whole body, before the gateway takes an upstream connection and authorizes the request again. Returns
 * null, without a promise, when the request has no body. `budget` holds the bytes that have arrived until the request
 * ends: an announced length only checks the limit.
 *
 * Throws payload_too_large beyond the limit of the endpoint, and for too many small chunks, whose connection is closed
 * and whose `sender` is charged by `charge`; and unsupported_media_type for a transfer coding other
 * than chunked. Throws request_timeout after the deadline of the endpoint or when the client leaves. Passes on the
 * problems of the budget.
 */
export function readBody(
  budget: BodyBudget,
  { sender, endpoint, charge }: ReadBody,
  request: Request,
  response: Response,
  current: CurrentContext,
): Promise<Buffer> | null {
  const announced = request.headers['content-length']
  const encoding = request.headers['transfer-encoding']
  if (encoding === undefined && (announced === undefined || Number(announced) === 0)) return null
  const limits = {
    bytesMax: bodyBytesLimit(endpoint),
    timeoutMs: endpoint.bodyTimeoutMs ?? bodyTimeoutMs,
  }
  if (Number(announced ?? 0) > limits.bytesMax) throw tooLarge(limits)
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    const detail = 'The request has a Transfer-Encoding other than chunked'
    throw new Problem(commonProblems.unsupported_media_type, { detail })
  }
  const reservation = budget.reserve(sender)
  whenRequestEnds(response, current, () => reservation.release())
  // A body that exceeds a limit is rejected before its bytes are read.
  const rejection = reservation.check(Number(announced ?? 0))
  if (rejection !== undefined) throw rejection
  const rejectChunks = () => {
    charge?.()
    // The rest of a read of the socket is parsed even so; no further one is.
    response.once('close', () => request.socket.destroy())
    return tooManyChunks()
  }
  return collect(request, reservation, limits, rejectChunks)
}

interface BodyLimits {
  readonly bytesMax: number
  readonly timeoutMs: number
}

function tooLarge({ bytesMax }: BodyLimits): Problem {
  const detail = `The request body has more than ${bytesMax / 1024} KiB`
  return new Problem(commonProblems.payload_too_large, { detail })
}

function tooManyChunks(): Problem {
  const detail = 'The request body has too many chunks: more than 1000, and one for each 64 bytes'
  return new Problem(commonProblems.payload_too_large, { detail })
}

function incomplete(): Problem {
  return new Problem(commonProblems.request_timeout, {
    detail: 'The gateway did not receive the whole request body in time',
  })
}

function collect(
  request: Request,
  reservation: BodyReservation,
  limits: BodyLimits,
  rejectChunks: () => Problem,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = createByteCollector(limits.bytesMax)
    const finish = (problem?: Problem) => {
      clearTimeout(timer)
      request.off('data', onData).off('end', onEnd).off('close', onClose)
      reservation.finish()
      if (problem === undefined) resolve(body.collected())
      else {
        // drainUnreadBody drops the rest once the response has ended.
        request.pause()
        reject(problem)
      }
    }
    const timer = setTimeout(() => finish(incomplete()), limits.timeoutMs)
    const onData = (chunk: Buffer) => {
      const excess = body.excess(chunk)
      if (excess !== undefined) return finish(excess === 'too_many_bytes' ? tooLarge(limits) : rejectChunks())
      const rejection = reservation.grow(chunk.length)
      if (rejection !== undefined) return finish(rejection)
      body.add(chunk)
    }
    const onEnd = () => finish()
    /** Without an end: the client has left, and no response is sent. */
    const onClose = () => finish(incomplete())
    request.on('data', onData).on('end', onEnd).on('close', onClose)
    if (request.destroyed) onClose()
  })
}

const drainMs = 2_000

/**
 * Reads and drops the rest of a request that was not received whole when its response ended, so that the client can
 * read the response. Closes the connection after two seconds.
 */
export function drainUnreadBody(request: Request, response: Response): void {
  response.on('close', () => {
    if (request.complete || request.socket.destroyed) return
    request.resume()
    const timer = setTimeout(() => request.socket.destroy(), drainMs)
    request.once('close', () => clearTimeout(timer))
  })
}

import type { RequestHandler, Response } from 'express'
import { createFairPermits, limitProblem } from '../base/fair-permits.ts'
import { readSender } from './sender.ts'

/** A smaller body is read in a millisecond. */
const smallBytesMax = 16 * 1024

const limits = { permitsMax: 1, perSubjectMax: 1, waitingMax: 512, waitMsMax: 10_000 }
const turnMsMax = 1_000

/**
 * **What it does.** Divides the time in which a process reads large bodies. To parse and check one holds the event loop
 * for milliseconds, and each step of every other request waits meanwhile.
 *
 * **Guarantees.** One body above 16 KiB is parsed and checked at a time. More wait, and tenants take turns; callers
 * without a tenant are one of them. Between two bodies, the event loop turns. A body that has not arrived
 * within a second ends its turn, and is read without one.
 *
 * **Not guaranteed.** Across replicas.
 */
export interface BodyTurns {
  /** Continues with the turn of the request. Rejects with rate_limited or service_unavailable without one. */
  readonly take: RequestHandler
  /** Ends the turn, once the body is checked. */
  readonly end: (response: Response) => void
}

export function createBodyTurns(): BodyTurns {
  const permits = createFairPermits({
    ...limits,
    createRejection: limitProblem('Too many large request bodies are in progress'),
  })
  const end = (response: Response) => response.locals.endBodyTurn?.()
  return {
    take: async (request, response, next) => {
      const length = request.headers['content-length']
      if (length !== undefined && Number(length) <= smallBytesMax) return next()
      if (length === undefined && request.headers['transfer-encoding'] === undefined) return next()
      const left = new AbortController()
      response.once('close', () => {
        left.abort()
        end(response)
      })
      try {
        const { tenantId, member } = readSender(response)
        const release = await permits.acquire(tenantId, { member, signal: left.signal })
        const timer = setTimeout(release, turnMsMax)
        response.locals.endBodyTurn = () => {
          clearTimeout(timer)
          setImmediate(release)
        }
      } catch (error) {
        // A client that has left gets no response.
        if (left.signal.aborted) return
        throw error
      }
      next()
    },
    end,
  }
}

import type { IncomingHttpHeaders } from 'node:http'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { NextFunction, Request, Response } from 'express'
import { type Dispatcher, errors } from 'undici'

/**
 * One request on its way to its service, and the answer on its way back.
 *
 * Its people: the client's request and response, the exchange with the service (`controller`), and one deadline over all.
 *
 * Guarantees. Whichever side fails, the other is ended at once: a client that leaves aborts the service's request, a
 * service that dies in mid-body cuts the client off rather than leave it waiting, and after the deadline both are ended.
 * A client that reads slowly slows the service down; no more than a chunk waits here. A client whose request was
 * answered before all of it had come is not waited for.
 *
 * Not promised: that a request was not carried out, when it is answered 503 or 504 after it had been sent.
 */
export class Passage implements Dispatcher.DispatchHandler {
  readonly #service: string
  readonly #response: Response
  readonly #next: NextFunction
  readonly #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #phase: 'waiting' | 'passing' | 'over' = 'waiting'
  /** The beginning of a problem that the service answers: the audit record names it. */
  #problem: Buffer[] | undefined

  constructor(service: string, request: Request, response: Response, next: NextFunction, deadlineMs: number) {
    this.#service = service
    this.#response = response
    this.#next = next
    this.#timer = setTimeout(() => this.#fail(deadlineProblem(request)), deadlineMs)
    response.once('close', () => this.#end(clientIsGone))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#phase === 'over') controller.abort(clientIsGone)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200 || this.#phase !== 'waiting') return
    if (status === 401) {
      // The caller's credential has been found good: a service that refuses the assertion is our fault, not theirs.
      this.#fail(new Error(`${this.#service} refused the assertion of the gateway`))
      return
    }
    this.#phase = 'passing'
    this.#response.statusCode = status
    for (const name of replyHeaders) {
      const value = headers[name]
      if (value !== undefined) this.#response.setHeader(name, value)
    }
    if (headers['content-type']?.startsWith('application/problem+json') === true) this.#problem = []
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#phase !== 'passing') return
    if (this.#problem !== undefined && this.#problem.length < problemChunksMax) this.#problem.push(chunk)
    if (this.#response.write(chunk)) return
    controller.pause()
    this.#response.once('drain', () => controller.resume())
  }

  onResponseEnd(): void {
    if (this.#phase !== 'passing') return
    this.#phase = 'over'
    const code = this.#problem === undefined ? undefined : codeIn(this.#problem)
    if (code !== undefined) this.#response.locals.code = code
    this.#response.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(problemOf(error))
  }

  /** An answer that has begun is cut off; else there is still one to give. */
  #fail(error: unknown): void {
    const phase = this.#phase
    this.#end(error)
    if (phase === 'passing') this.#response.destroy()
    else if (phase === 'waiting' && !this.#response.destroyed) this.#next(error)
  }

  #end(reason: unknown): void {
    clearTimeout(this.#timer)
    if (this.#phase === 'over') return
    this.#phase = 'over'
    this.#controller?.abort(reason instanceof Error ? reason : clientIsGone)
  }
}

const clientIsGone = new Error('the client is gone')
const retryAfterSeconds = 1

const replyHeaders = [
  'cache-control',
  'content-disposition',
  'content-length',
  'content-type',
  'idempotent-replayed',
  'location',
  'retry-after',
  'set-cookie',
] as const

/** A problem comes in one chunk, or two. */
const problemChunksMax = 4

function codeIn(chunks: readonly Buffer[]): string | undefined {
  return /"code":"([a-z0-9_]{1,100})"/.exec(Buffer.concat(chunks).toString('utf8'))?.[1]
}

function deadlineProblem(request: Request): Problem {
  return new Problem(request.complete ? commonProblems.upstream_timeout : commonProblems.request_timeout)
}

/** These errors come before a connection stands; any other may come after the request was carried out. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** What the network or the service did wrong is a problem, what we did wrong is a bug. */
function problemOf(error: Error): Error {
  const code = String((error as { code?: unknown }).code)
  const isOurs = error instanceof errors.InvalidArgumentError || error instanceof TypeError
  const isTheirs =
    error instanceof errors.UndiciError || error instanceof errors.HTTPParserError || /^E[A-Z_]+$/.test(code)
  if (isOurs || !isTheirs) return error
  const detail = neverSent.has(code)
    ? 'The service cannot be reached at the moment'
    : 'The connection to the service broke before it answered; the request may have taken effect'
  return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds, cause: error })
}

import type { ClientRequest } from 'node:http'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'

/**
 * Ends the request to a service that has not settled within `ms`, or earlier for a reason. A timer and a call of
 * `destroy`: an AbortSignal does the same, and costs each request several objects and listeners.
 */
export class CallDeadline {
  #outgoing: ClientRequest | undefined
  #timer: NodeJS.Timeout
  #problem: Problem | undefined
  readonly #method: string

  constructor(ms: number, method: string) {
    this.#method = method
    this.#timer = setTimeout(() => this.end(), ms)
  }

  /** The problem of a call that was ended. */
  get problem(): Problem | undefined {
    return this.#problem
  }

  /** The request that ends with the deadline; at once, where the call was ended before. */
  bind(outgoing: ClientRequest): void {
    this.#outgoing = outgoing
    if (this.#problem !== undefined) outgoing.destroy(this.#problem)
  }

  end(problem = timedOut(this.#method)): void {
    this.#problem ??= problem
    this.#outgoing?.destroy(this.#problem)
  }

  clear(): void {
    clearTimeout(this.#timer)
  }
}

function timedOut(method: string): Problem {
  const detail = withEffect('The service did not complete its response in time', method)
  return new Problem(commonProblems.upstream_timeout, { detail })
}

/** The detail of a call without a response. A GET changes no resource. */
export const withEffect = (detail: string, method: string): string =>
  method === 'GET' ? detail : `${detail}; the request may have taken effect`

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

  constructor(ms: number) {
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

  end(problem = timedOut()): void {
    this.#problem ??= problem
    this.#outgoing?.destroy(this.#problem)
  }

  clear(): void {
    clearTimeout(this.#timer)
  }
}

function timedOut(): Problem {
  const detail = 'The service did not complete its response in time; the request may have taken effect'
  return new Problem(commonProblems.upstream_timeout, { detail })
}

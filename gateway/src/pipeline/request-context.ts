import type { Response } from 'express'
import type { Principal } from '../authorization/resolver.ts'
import type { Taken } from '../limits/token-bucket.ts'
import type { Route } from '../route-table.ts'

/** One request and what the pipeline has learned of it so far. */
export interface Exchange {
  /** The request's own where it is a UUID given once, else a fresh one: every answer carries it. */
  readonly traceId: string
  readonly arrivedAt: number
  /** The request target without its query or fragment, as it came. */
  readonly path: string
  readonly address: string
  /** False where proxies were to say it and did not; then the address is that of the connection. */
  readonly isAddressKnown: boolean
  /** The values of the headers that may be given once, as they came. */
  readonly given: Readonly<Record<SingleHeader, readonly string[]>>
  route: Route | undefined
  principal: Principal | undefined
  /** What the answer tells of what may still be asked for, once the caller is known. */
  quotas: Readonly<Record<'RateLimit' | 'RateLimit-Policy', string>> | undefined
  /** The call to the service, from the moment at which nothing holds it back any more. */
  forwarded: ForwardedCall | undefined
  /** What it took from its address's allowance of requests without a verified credential, once it is known to be one. */
  unverified: Taken | undefined
}

/** A request on its way to its service. It is settled once, however it ends, by the forwarding deadline at the latest. */
export class ForwardedCall {
  /** What the service responded, or the problem in place of a response: what the client is told if it is still there. */
  status: number | undefined
  code: string | null = null
  /** The gateway closed the connection of the client because the response of the service broke off. */
  isBroken = false
  #isSettled = false
  readonly #listeners: (() => void)[] = []

  settle(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    for (const listener of this.#listeners) listener()
  }

  whenSettled(listener: () => void): void {
    if (this.#isSettled) listener()
    else this.#listeners.push(listener)
  }
}

/** Calls back once, when the response is closed and the call to the service, if there is one, is settled. */
export function whenOver(response: Response, exchange: Exchange, done: () => void): void {
  response.once('close', () => {
    if (exchange.forwarded === undefined) done()
    else exchange.forwarded.whenSettled(done)
  })
}

export type SingleHeader = 'authorization' | 'tenant-id' | 'trace-id' | 'idempotency-key' | 'host'

/** What every answer carries, whoever makes it. */
export function setStandingHeaders(response: Response, exchange: Exchange): void {
  response.setHeader('Trace-ID', exchange.traceId)
  response.setHeader('X-Content-Type-Options', 'nosniff')
  if (exchange.quotas !== undefined) setQuotaHeaders(response, exchange.quotas)
}

export function setQuotaHeaders(response: Response, quotas: NonNullable<Exchange['quotas']>): void {
  response.setHeader('RateLimit-Policy', quotas['RateLimit-Policy'])
  response.setHeader('RateLimit', quotas.RateLimit)
}

/**
 * **What it does.** Revokes credentials that are in use, and records each request that is accepted after the revocation
 * was acknowledged.
 *
 * **Participants.** One worker per tenant creates a credential, waits until every gateway has accepted it, revokes it
 * through one gateway, and starts again. Per gateway, a user sends requests with the credential until some requests
 * after the revocation. A person has two credentials: a cookie and a JWT.
 *
 * **Guarantees.** A request counts as accepted after the revocation when it was sent after the response to the
 * revocation had been received, and got a 2xx. One clock, of this process, times both. A 503 is no acceptance. A 429
 * ends the run: it hides whether the credential would be accepted.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type Credential, pauseAfterFailureMs, send, type Timing } from '../load/request.ts'
import {
  type Administrator,
  createAdministrator,
  type Revocable,
  type RevocationMethod,
  type RevocationTenant,
  revocationMethods,
  usedPath,
} from './methods.ts'
import { personMethods } from './person-methods.ts'

/** Requests that each user sends after the revocation, 503 not counted. */
const requestsAfterwards = 4
const attemptsMax = 5_000

export interface Tally {
  revocations: number
  requests: number
  /** Responses that were 503 or lost. */
  unavailable: number
  readonly acceptedAfter: { method: string; url: string; status: number; afterMs: number }[]
  readonly revokeMs: number[]
  readonly useMs: number[]
}

export function createTally(): Tally {
  return { revocations: 0, requests: 0, unavailable: 0, acceptedAfter: [], revokeMs: [], useMs: [] }
}

export const everyMethod = Object.keys(revocationMethods) as RevocationMethod[]
export const everyPersonMethod = Object.keys(personMethods) as (keyof typeof personMethods)[]

const allMethods: Readonly<Record<Method, (admin: Administrator) => Promise<Revocable>>> = {
  ...revocationMethods,
  ...personMethods,
}

type Method = RevocationMethod | keyof typeof personMethods

export interface RevocationRun {
  readonly gateways: readonly string[]
  readonly tenants: readonly RevocationTenant[]
  readonly count: number
  readonly methods: readonly Method[]
  /** Pause between two requests of a user. */
  readonly pauseMs: number
}

/** Runs `count` revocations by the given methods in turn, one worker per tenant. */
export async function revoke({ gateways, tenants, count, methods, pauseMs }: RevocationRun): Promise<Tally> {
  const tally = createTally()
  let next = 0
  const worker = async (tenant: RevocationTenant) => {
    const admin = createAdministrator(tenant)
    while (next < count) {
      const number = next
      next += 1
      const method = elementAt(methods, number)
      const by = elementAt(gateways, number >> 1)
      const { credentials, revoke: revokeBy, cleanUp } = await allMethods[method](admin)
      await revokeOne(gateways, { credentials, revoke: () => revokeBy(by), method, pauseMs }, tally)
      await cleanUp?.(tenant.homeUrl)
    }
  }
  await Promise.all(tenants.map(worker))
  return tally
}

interface Revocation {
  readonly credentials: readonly Credential[]
  readonly revoke: () => Promise<Timing>
  /** For the tally. */
  readonly method: string
  readonly pauseMs?: number
}

/** Rejects when `revoke` rejects; the users end in both cases. */
export async function revokeOne(gateways: readonly string[], revocation: Revocation, tally: Tally): Promise<void> {
  const state: UseState = { revokedAt: Number.POSITIVE_INFINITY, isOver: false }
  const users = gateways.flatMap((url) =>
    revocation.credentials.map((credential) => startUser(url, credential, revocation, state, tally)),
  )
  try {
    await Promise.race([
      Promise.all(users.map(({ accepted }) => accepted)),
      Promise.all(users.map(({ ended }) => ended)),
    ])
    const { sentAt, respondedAt } = await revocation.revoke()
    state.revokedAt = respondedAt
    tally.revocations += 1
    tally.revokeMs.push(respondedAt - sentAt)
  } finally {
    if (state.revokedAt === Number.POSITIVE_INFINITY) state.isOver = true
    await Promise.all(users.map(({ ended }) => ended))
  }
}

interface UseState {
  /** When the response to the revocation was received; infinity before. */
  revokedAt: number
  isOver: boolean
}

/** `accepted` resolves with the first 200, `ended` after the last request. */
function startUser(
  url: string,
  credential: Credential,
  { method, pauseMs = 0 }: Revocation,
  state: UseState,
  tally: Tally,
) {
  const { promise: accepted, resolve: accept } = Promise.withResolvers<void>()
  const use = async () => {
    for (let sentAfter = 0, attempt = 0; sentAfter < requestsAfterwards && !state.isOver; attempt += 1) {
      const { status, sentAt, respondedAt } = await send(url, { path: usedPath, ...credential })
      tally.requests += 1
      if (status === 200) {
        accept()
        tally.useMs.push(respondedAt - sentAt)
      }
      // It says nothing about the credential.
      if (status === 429) throw new Error(`${method}: the requests exceed a rate`)
      const isUnavailable = status === 503 || status === 0
      if (isUnavailable) {
        tally.unavailable += 1
        await delay(pauseAfterFailureMs)
      }
      const isAfter = sentAt > state.revokedAt
      if (isAfter && !isUnavailable && status < 300)
        tally.acceptedAfter.push({ method, url, status, afterMs: sentAt - state.revokedAt })
      if (isAfter && !isUnavailable) sentAfter += 1
      if (pauseMs > 0) await delay(pauseMs)
      if (attempt > attemptsMax) throw new Error(`${method}: the revocation got no response`)
    }
  }
  return { accepted, ended: use() }
}

/** The elements in turn. */
function elementAt<T>(elements: readonly T[], number: number): T {
  return elements[number % elements.length] as T
}

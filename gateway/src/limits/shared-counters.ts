import type { Client } from '@payments/chassis/client/client'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { apiKey } from '@payments/contracts/services/api-key/contract'
import type { Principal } from '../authorization/principal.ts'

/**
 * Counters that all replicas of the gateway share. The api-key service stores them in its PostgreSQL; the gateway
 * stores no data. README.md has the behaviour during an outage.
 */
export interface SharedCounters {
  /** Adds to the failures of the address. Resolves with undefined while the counter is unavailable. */
  failedAuthentications(address: string, failures: number, context: Context): Promise<FailureCount | undefined>
  /**
   * Counts a reveal of the actor. Resolves with 0, or with the seconds until the next reveal is possible. Throws
   * authorization_unavailable while the counter is unavailable.
   */
  takeReveal(principal: Principal, context: Context): Promise<number>
}

interface FailureCount {
  readonly failures: number
  readonly endsInSeconds: number
}

interface Context {
  readonly traceId: string
}

interface SharedCountersOptions {
  readonly store: Pick<Client<typeof apiKey>, 'countFailedAuthentications' | 'takeReveal'>
  readonly revealsPerMinute: number
  readonly onFailure: (error: unknown) => void
}

const windowSeconds = 60
const pauseMs = 1_000

export function createSharedCounters({ store, revealsPerMinute, onFailure }: SharedCountersOptions): SharedCounters {
  let pausedUntil = 0
  return {
    async failedAuthentications(address, failures, context) {
      if (performance.now() < pausedUntil) return undefined
      try {
        const body = { address, failures, window_seconds: windowSeconds }
        const count = await store.countFailedAuthentications(context, { body })
        return { failures: count.failures, endsInSeconds: count.ends_in_seconds }
      } catch (error) {
        pausedUntil = performance.now() + pauseMs
        onFailure(error)
        return undefined
      }
    },
    async takeReveal({ tenantId, actor }, context) {
      const body = {
        tenant_id: tenantId,
        actor: `${actor.type}:${actor.id}`,
        reveals_max: revealsPerMinute,
        window_seconds: windowSeconds,
      }
      try {
        return (await store.takeReveal(context, { body })).retry_after_seconds
      } catch (error) {
        if (!(error instanceof Problem) || error.status < 500) throw error
        const detail = 'The gateway cannot count reveals, and rejects a reveal that is not counted'
        throw new Problem(commonProblems.authorization_unavailable, { detail, retryAfterSeconds: 1, cause: error })
      }
    },
  }
}

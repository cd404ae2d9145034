import type { Client } from '@payments/chassis/client'
import type { apiKey } from '@payments/contracts/api-key'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { Principal } from '../authorization/resolver.ts'

/**
 * Counts that the replicas of the gateway must share, kept by api-key in its PostgreSQL; the gateway itself owns no data.
 *
 * - Reveals: refused while the count cannot be had. A secret can wait.
 * - Failed authentications: `failedAuthentications` resolves with undefined then, and the replica's own count decides.
 *   After a failure the store is left alone for a second, so that its outage does not slow down every refusal.
 */
export interface SharedCounts {
  /** Adds to the address's failures. undefined where the store does not answer. */
  failedAuthentications(address: string, failures: number, context: Context): Promise<FailureWindow | undefined>
  /** 0 where the reveal is counted, else after how many seconds there is room for one. Throws authorization_unavailable. */
  takeReveal(principal: Principal, context: Context): Promise<number>
}

export interface FailureWindow {
  readonly failures: number
  readonly endsInSeconds: number
}

interface Context {
  readonly traceId: string
}

interface SharedCountsOptions {
  readonly store: Pick<Client<typeof apiKey>, 'countFailedAuthentications' | 'takeReveal'>
  readonly revealsPerMinute: number
  readonly onFailure: (error: unknown) => void
}

const windowSeconds = 60
const pauseMs = 1_000

export function createSharedCounts({ store, revealsPerMinute, onFailure }: SharedCountsOptions): SharedCounts {
  let pausedUntil = 0
  return {
    async failedAuthentications(address, failures, context) {
      if (performance.now() < pausedUntil) return undefined
      try {
        const body = { address, failures, window_seconds: windowSeconds }
        const window = await store.countFailedAuthentications(context, { body })
        return { failures: window.failures, endsInSeconds: window.ends_in_seconds }
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
        const detail = 'Reveals are limited, and cannot be counted at the moment'
        throw new Problem(commonProblems.authorization_unavailable, { detail, retryAfterSeconds: 1, cause: error })
      }
    },
  }
}

import { createNotes } from '@payments/chassis/base/notes'
import type { Log } from '@payments/chassis/observability/log'
import { startFlushes } from '@payments/chassis/process/schedule'
import { LRUCache } from 'lru-cache'

export interface CredentialUse {
  readonly id: string
  readonly tenant_id: string
  readonly used_at: string
}

interface CredentialUsageOptions {
  /** For the log. */
  readonly name: string
  /** Sends at most 1 000 uses to the service. */
  readonly send: (uses: readonly CredentialUse[]) => Promise<unknown>
  /** Number of credentials whose last recorded minute is stored. */
  readonly credentialsMax: number
  readonly intervalMs?: number
  readonly log: Log
}

const minuteMs = 60_000
/** The limit of the contracts. */
const perWriteMax = 1_000
const notesMax = 10_000

/**
 * Records when credentials of one kind are used, and flushes the records to their service in batches, outside of
 * requests. At most one use per credential and minute is flushed. A failed flush is retried.
 */
export function createCredentialUsage(options: CredentialUsageOptions) {
  const { name, send, credentialsMax, intervalMs = 5_000, log } = options
  const recordedMinutes = new LRUCache<string, number>({ max: credentialsMax })
  const uses = createNotes<CredentialUse>({ write: send, merge: (_, later) => later, notesMax, perWriteMax })
  const flushes = startFlushes(intervalMs, name, log, uses)
  return {
    record(credentialId: string, tenantId: string): void {
      const now = Date.now()
      const minute = Math.floor(now / minuteMs)
      if (recordedMinutes.get(credentialId) === minute) return
      recordedMinutes.set(credentialId, minute)
      uses.add(credentialId, { id: credentialId, tenant_id: tenantId, used_at: new Date(now).toISOString() })
    },
    /** Flushes the remaining uses once. */
    close: flushes.stop,
  }
}

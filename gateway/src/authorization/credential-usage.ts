import { LRUCache } from 'lru-cache'

/**
 * Records when credentials of one kind are used, and flushes the records to their service in batches, outside of
 * requests. At most one use per credential and minute is flushed. A failed flush is retried. Uses beyond the limit are
 * lost, and so are unflushed ones when the process is killed.
 */
export interface CredentialUsage {
  record(credentialId: string, tenantId: string): void
  /** Flushes the remaining uses once. */
  close(): Promise<void>
}

export interface CredentialUse {
  readonly credentialId: string
  readonly tenantId: string
  readonly usedAt: string
}

interface CredentialUsageOptions {
  /** Sends at most 1 000 uses to the service. */
  readonly send: (uses: readonly CredentialUse[]) => Promise<unknown>
  readonly onFailure: (error: unknown) => void
  /** Number of credentials whose last recorded minute is stored. */
  readonly credentialsMax: number
  readonly intervalMs?: number
}

const minuteMs = 60_000
/** The limit of the contracts. */
const batchMax = 1_000
const pendingMax = 10_000

export function createCredentialUsage(options: CredentialUsageOptions): CredentialUsage {
  const { send, onFailure, credentialsMax, intervalMs = 5_000 } = options
  const recordedMinutes = new LRUCache<string, number>({ max: credentialsMax })
  const pending = new Map<string, CredentialUse>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()

  const flushBatches = async (): Promise<void> => {
    for (let batches = 0; pending.size > 0 && batches < pendingMax / batchMax; batches += 1) {
      const uses = [...pending.values()].slice(0, batchMax)
      await send(uses)
      for (const use of uses) if (pending.get(use.credentialId) === use) pending.delete(use.credentialId)
    }
  }
  const flush = (): Promise<void> => {
    flushing = flushing.then(flushBatches).catch(onFailure)
    return flushing
  }
  const scheduleFlush = () => {
    timer ??= setTimeout(async () => {
      await flush()
      timer = undefined
      if (pending.size > 0) scheduleFlush()
    }, intervalMs).unref()
  }

  return {
    record(credentialId, tenantId) {
      const now = Date.now()
      const minute = Math.floor(now / minuteMs)
      if (recordedMinutes.get(credentialId) === minute) return
      recordedMinutes.set(credentialId, minute)
      if (pending.size >= pendingMax && !pending.has(credentialId)) return
      pending.set(credentialId, { credentialId, tenantId, usedAt: new Date(now).toISOString() })
      scheduleFlush()
    },
    close: async () => {
      clearTimeout(timer)
      await flush()
    },
  }
}

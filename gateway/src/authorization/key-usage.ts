import { newId } from '@payments/chassis/base/id'
import type { Client } from '@payments/chassis/client/client'
import type { apiKey } from '@payments/contracts/services/api-key/contract'
import { LRUCache } from 'lru-cache'

/**
 * Records when keys are used, and flushes the records to api-key in batches, outside of requests. At most one use per
 * key and minute is flushed. A failed flush is retried. Uses beyond the limit are lost, and so are unflushed ones when
 * the process is killed.
 */
export interface KeyUsage {
  record(apiKeyId: string, tenantId: string): void
  /** Flushes the remaining uses once. */
  close(): Promise<void>
}

interface KeyUsageOptions {
  readonly source: Pick<Client<typeof apiKey>, 'recordKeyUses'>
  readonly onFailure: (error: unknown) => void
  /** Number of keys whose last recorded minute is stored. */
  readonly keysMax: number
  readonly intervalMs?: number
}

interface KeyUse {
  readonly api_key_id: string
  readonly tenant_id: string
  readonly used_at: string
}

const minuteMs = 60_000
/** The limit of the contract. */
const batchMax = 1_000
const pendingMax = 10_000

export function createKeyUsage({ source, onFailure, keysMax, intervalMs = 5_000 }: KeyUsageOptions): KeyUsage {
  const recordedMinutes = new LRUCache<string, number>({ max: keysMax })
  const pending = new Map<string, KeyUse>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()

  const flushBatches = async (): Promise<void> => {
    for (let batches = 0; pending.size > 0 && batches < pendingMax / batchMax; batches += 1) {
      const uses = [...pending.values()].slice(0, batchMax)
      await source.recordKeyUses({ traceId: newId() }, { body: { uses } })
      for (const use of uses) if (pending.get(use.api_key_id) === use) pending.delete(use.api_key_id)
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
    record(apiKeyId, tenantId) {
      const now = Date.now()
      const minute = Math.floor(now / minuteMs)
      if (recordedMinutes.get(apiKeyId) === minute) return
      recordedMinutes.set(apiKeyId, minute)
      if (pending.size >= pendingMax && !pending.has(apiKeyId)) return
      pending.set(apiKeyId, { api_key_id: apiKeyId, tenant_id: tenantId, used_at: new Date(now).toISOString() })
      scheduleFlush()
    },
    close: async () => {
      clearTimeout(timer)
      await flush()
    },
  }
}

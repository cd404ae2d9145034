import type { Client } from '@payments/chassis/client'
import { newId } from '@payments/chassis/id'
import type { apiKey } from '@payments/contracts/api-key'
import { LRUCache } from 'lru-cache'

/**
 * Tells api-key when keys were used, in batches, beside the requests and never before them. Of each key one use in a minute
 * is told. What cannot be told now is told later, up to a limit; beyond it, and when the process dies, uses are lost.
 */
export interface KeyUses {
  note(apiKeyId: string, tenantId: string): void
  /** Tells what is left, once. */
  close(): Promise<void>
}

interface KeyUsesOptions {
  readonly owner: Pick<Client<typeof apiKey>, 'recordKeyUses'>
  readonly onFailure: (error: unknown) => void
  /** Of how many keys it is remembered that they were told of in this minute. */
  readonly keysMax: number
  readonly everyMs?: number
}

interface Use {
  readonly api_key_id: string
  readonly tenant_id: string
  readonly used_at: string
}

const minuteMs = 60_000
/** The contract's own limit. */
const batchMax = 1_000
const waitingMax = 10_000

export function createKeyUses({ owner, onFailure, keysMax, everyMs = 5_000 }: KeyUsesOptions): KeyUses {
  const notedMinutes = new LRUCache<string, number>({ max: keysMax })
  const waiting = new Map<string, Use>()
  let timer: NodeJS.Timeout | undefined
  let telling: Promise<void> = Promise.resolve()

  const tell = async (): Promise<void> => {
    for (let batches = 0; waiting.size > 0 && batches < waitingMax / batchMax; batches += 1) {
      const uses = [...waiting.values()].slice(0, batchMax)
      await owner.recordKeyUses({ traceId: newId() }, { body: { uses } })
      for (const use of uses) if (waiting.get(use.api_key_id) === use) waiting.delete(use.api_key_id)
    }
  }
  const tellNow = (): Promise<void> => {
    telling = telling.then(tell).catch(onFailure)
    return telling
  }
  const tellLater = () => {
    timer ??= setTimeout(async () => {
      await tellNow()
      timer = undefined
      if (waiting.size > 0) tellLater()
    }, everyMs).unref()
  }

  return {
    note(apiKeyId, tenantId) {
      const now = Date.now()
      const minute = Math.floor(now / minuteMs)
      if (notedMinutes.get(apiKeyId) === minute) return
      notedMinutes.set(apiKeyId, minute)
      if (waiting.size >= waitingMax && !waiting.has(apiKeyId)) return
      waiting.set(apiKeyId, { api_key_id: apiKeyId, tenant_id: tenantId, used_at: new Date(now).toISOString() })
      tellLater()
    },
    close: async () => {
      clearTimeout(timer)
      await tellNow()
    },
  }
}

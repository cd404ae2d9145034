import type { SqlTx as Sql } from '@payments/chassis/database/transaction'

/**
 * **What it does.** Stores when the last attempt of each subscription succeeded and failed, for the health of the
 * subscription. An attempt only notes its time in memory; a job stores the notes of all subscriptions together.
 *
 * **Guarantees.** A time that is stored never becomes earlier, with any number of dispatchers.
 *
 * **Not guaranteed.** The notes of the last seconds, when the process is killed. Notes of further subscriptions while
 * `notesMax` others wait.
 */
export interface LastOutcomes {
  note(subscription: Subscription, succeeded: boolean): void
  /** `watcher` is called after each note. */
  watch(watcher: () => void): () => void
  /** Stores the notes. Those of a failed statement stay for the next one. */
  flush(): Promise<void>
}

interface Subscription {
  readonly tenantId: string
  readonly subscriptionId: string
}

interface Note extends Subscription {
  /** Instants. Undefined: none since the last flush. */
  readonly deliveredAt?: string
  readonly failedAt?: string
}

const notesMax = 10_000
const rowsMax = 1_000

export function createLastOutcomes(sql: Sql): LastOutcomes {
  const notes = new Map<string, Note>()
  const watchers = new Set<() => void>()
  return {
    note: ({ tenantId, subscriptionId }, succeeded) => {
      const known = notes.get(subscriptionId)
      if (known === undefined && notes.size >= notesMax) return
      const now = new Date().toISOString()
      const at = succeeded ? { deliveredAt: now } : { failedAt: now }
      notes.set(subscriptionId, { ...(known ?? { tenantId, subscriptionId }), ...at })
      for (const watcher of watchers) watcher()
    },
    watch: (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    flush: async () => {
      const all = [...notes.values()]
      for (let start = 0; start < all.length; start += rowsMax) {
        const rows = all.slice(start, start + rowsMax)
        await store(sql, rows)
        for (const note of rows) if (notes.get(note.subscriptionId) === note) notes.delete(note.subscriptionId)
      }
    },
  }
}

/** In the lock order of destinations. */
async function store(sql: Sql, notes: readonly Note[]): Promise<void> {
  await sql.$executeRawUnsafe(
    `INSERT INTO destinations AS t (subscription_id, tenant_id, last_delivered_at, last_failed_at)
     SELECT "subscriptionId", "tenantId", "deliveredAt", "failedAt" FROM jsonb_to_recordset($1::jsonb)
       AS g("subscriptionId" uuid, "tenantId" uuid, "deliveredAt" timestamptz, "failedAt" timestamptz)
     ORDER BY "subscriptionId"
     ON CONFLICT (subscription_id) DO UPDATE SET
       last_delivered_at = greatest(t.last_delivered_at, excluded.last_delivered_at),
       last_failed_at = greatest(t.last_failed_at, excluded.last_failed_at)`,
    JSON.stringify(notes),
  )
}

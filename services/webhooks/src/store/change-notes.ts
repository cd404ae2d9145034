import type { SqlTx as Sql } from '@payments/chassis/database/transaction'
import { type ChangeTopic, changeTopics } from '@payments/contracts/services/webhooks/changes'
import { sequencesOf } from '../domain/changes.ts'

/**
 * **What it does.** Counts the changes of each tenant per topic. A step of a delivery only notes the topic in memory,
 * after its commit; a job stores the notes of all tenants together. api/waits.ts reads the numbers.
 *
 * **Guarantees.** A stored number grows with each flush that has a note of its topic, with any number of dispatchers.
 *
 * **Not guaranteed.** The notes since the last flush, when the process is killed: a wait then misses the change until
 * the next one. Notes of further tenants while `tenantsMax` others wait.
 */
export interface ChangeNotes {
  note(tenantId: string, topic: ChangeTopic): void
  /** `watcher` is called after each note. */
  watch(watcher: () => void): () => void
  /** Stores the notes. Those of a failed statement stay for the next one. */
  flush(): Promise<void>
}

const tenantsMax = 50_000
const rowsMax = 1_000

export function createChangeNotes(sql: Sql): ChangeNotes {
  let notes = new Map<string, Set<ChangeTopic>>()
  const watchers = new Set<() => void>()
  const add = (tenantId: string, topics: Iterable<ChangeTopic>) => {
    const noted = notes.get(tenantId)
    if (noted !== undefined) for (const topic of topics) noted.add(topic)
    else if (notes.size < tenantsMax) notes.set(tenantId, new Set(topics))
  }
  return {
    note: (tenantId, topic) => {
      const noted = notes.get(tenantId)
      if (noted === undefined) add(tenantId, [topic])
      else noted.add(topic)
      for (const watcher of watchers) watcher()
    },
    watch: (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    flush: async () => {
      const taken = [...notes]
      notes = new Map()
      for (let start = 0; start < taken.length; start += rowsMax) {
        try {
          await store(sql, taken.slice(start, start + rowsMax))
        } catch (error) {
          for (const [tenantId, topics] of taken.slice(start)) add(tenantId, topics)
          throw error
        }
      }
    },
  }
}

const columns = changeTopics.join(', ')
const storeSql = `
  INSERT INTO change_sequences AS t (tenant_id, ${columns})
  SELECT tenant_id, ${columns}
  FROM jsonb_to_recordset($1::jsonb) AS g(tenant_id uuid, ${changeTopics.map((topic) => `${topic} int`).join(', ')})
  ORDER BY tenant_id
  ON CONFLICT (tenant_id) DO UPDATE SET ${changeTopics.map((topic) => `${topic} = t.${topic} + excluded.${topic}`).join(', ')}`

/** Rows are locked in the order of their tenants. */
async function store(sql: Sql, notes: readonly (readonly [string, ReadonlySet<ChangeTopic>])[]): Promise<void> {
  const rows = notes.map(([tenantId, topics]) => ({
    tenant_id: tenantId,
    ...sequencesOf((topic) => (topics.has(topic) ? 1 : 0)),
  }))
  await sql.$executeRawUnsafe(storeSql, JSON.stringify(rows))
}

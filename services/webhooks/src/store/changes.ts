import { createNotes, type Notes } from '@payments/chassis/base/notes'
import type { SqlTx as Sql } from '@payments/chassis/database/transaction'
import { type ChangeTopic, changeTopics } from '@payments/contracts/services/webhooks/changes'
import { buildSequences, type Sequences } from '../domain/changes.ts'
import type { Tx } from './database.ts'

/**
 * **What it does.** Counts the changes of each tenant per topic. A step of a delivery only notes the topic in memory,
 * after its commit; a job stores the notes of all tenants together (notes.ts of the chassis). A request counts its
 * change in its transaction. changes/waits.ts reads the numbers.
 *
 * **Guarantees.** A stored number grows with each flush that has a note of its topic, with any number of dispatchers.
 *
 * **Not guaranteed.** A note that is lost: a wait then misses the change until the next one.
 */
export interface ChangeNotes extends Pick<Notes<ChangeNote>, 'watch' | 'flush'> {
  note(tenantId: string, topic: ChangeTopic): void
}

interface ChangeNote {
  readonly tenant_id: string
  readonly topic: ChangeTopic
}

const notesMax = 50_000

export function createChangeNotes(sql: Sql): ChangeNotes {
  const write = (notes: readonly ChangeNote[]) => sql.$executeRawUnsafe(storeSql, JSON.stringify(notes))
  const { add, ...notes } = createNotes<ChangeNote>({ write, merge: (earlier) => earlier, notesMax })
  return { ...notes, note: (tenantId, topic) => add(`${tenantId} ${topic}`, { tenant_id: tenantId, topic }) }
}

/** Rows are locked in the order of their tenants. */
const storeSql = `
  INSERT INTO change_sequences AS t (tenant_id, ${changeTopics.join(', ')})
  SELECT tenant_id, ${changeTopics.map((topic) => `count(*) FILTER (WHERE topic = '${topic}')`).join(', ')}
  FROM jsonb_to_recordset($1::jsonb) AS note(tenant_id uuid, topic text)
  GROUP BY tenant_id ORDER BY tenant_id
  ON CONFLICT (tenant_id) DO UPDATE SET ${changeTopics.map((topic) => `${topic} = t.${topic} + excluded.${topic}`).join(', ')}`

/** The last statement of a transaction: all changes of the tenant lock this row. */
export async function countChange(tx: Tx, tenantId: string, topic: ChangeTopic): Promise<void> {
  await tx.$executeRawUnsafe(
    `INSERT INTO change_sequences AS c (tenant_id, ${topic}) VALUES ($1::uuid, 1)
     ON CONFLICT (tenant_id) DO UPDATE SET ${topic} = c.${topic} + 1`,
    tenantId,
  )
}

export async function findSequences(tx: Tx, tenantId: string): Promise<Sequences> {
  const row = await tx.changeSequence.findFirst({ where: { tenantId } })
  if (row === null) return buildSequences(() => 0)
  const { deadLetters: dead_letters, ...others } = row
  return buildSequences((topic) => Number({ ...others, dead_letters }[topic]))
}

/** By tenant. A tenant without changes is missing. */
export async function listSequences(sql: Sql, tenantIds: readonly string[]): Promise<Map<string, Sequences>> {
  const rows = await sql.$queryRawUnsafe<(Sequences & { readonly tenant_id: string })[]>(
    `SELECT tenant_id, ${changeTopics.map((topic) => `${topic}::float8`).join(', ')}
     FROM change_sequences WHERE tenant_id = ANY($1::uuid[])`,
    tenantIds,
  )
  return new Map(rows.map((row) => [row.tenant_id, buildSequences((topic) => row[topic])]))
}

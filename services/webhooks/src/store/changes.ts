import type { SqlTx as Sql } from '@payments/chassis/database/transaction'
import { type ChangeTopic, changeTopics } from '@payments/contracts/services/webhooks/changes'
import { buildSequences, type Sequences } from '../domain/changes.ts'
import type { Tx } from './database.ts'

/** Reads what change-notes.ts counts, and counts a change of a request in its transaction. */

/** The last statement of a transaction: the row is that of all changes of the tenant. */
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

import type { SqlTx as Sql } from '@payments/chassis/database/transaction'
import { changeTopics } from '@payments/contracts/services/webhooks/changes'
import { type Sequences, sequencesOf } from '../domain/changes.ts'
import type { Tx } from './database.ts'

/** Reads what change-notes.ts counts. */

export async function findSequences(tx: Tx, tenantId: string): Promise<Sequences> {
  const row = await tx.changeSequence.findFirst({ where: { tenantId } })
  if (row === null) return sequencesOf(() => 0)
  const { deadLetters: dead_letters, ...others } = row
  return sequencesOf((topic) => Number({ ...others, dead_letters }[topic]))
}

/** By tenant. A tenant without changes is missing. */
export async function listSequences(sql: Sql, tenantIds: readonly string[]): Promise<Map<string, Sequences>> {
  const rows = await sql.$queryRawUnsafe<(Sequences & { readonly tenant_id: string })[]>(
    `SELECT tenant_id, ${changeTopics.map((topic) => `${topic}::float8`).join(', ')}
     FROM change_sequences WHERE tenant_id = ANY($1::uuid[])`,
    tenantIds,
  )
  return new Map(rows.map((row) => [row.tenant_id, sequencesOf((topic) => row[topic])]))
}

import sql, { type Sql } from 'sql-template-tag'
import type { QuarantinedEventModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

/** An event that its contract rejected, of an outcome that is recorded. It has no data of the payment. */
export type QuarantinedEvent = QuarantinedEventModel

/** The INSERT of an event, as a part of a statement. It inserts the event if the part `from` has a row. */
export function insertQuarantinedEvent(tenantId: string, event: QuarantinedEvent, from: Sql): Sql {
  const { id, transactionId, operationId, type, reason, createdAt } = event
  return sql`
    INSERT INTO quarantined_events (id, tenant_id, transaction_id, operation_id, type, reason, created_at)
    SELECT ${id}::uuid, ${tenantId}::uuid, ${transactionId}::uuid, ${operationId}::uuid, ${type}, ${reason},
      ${createdAt.toISOString()}::timestamptz
    FROM ${from} RETURNING 1`
}

/** Of all tenants. */
export function countQuarantinedEvents(tx: Tx): Promise<number> {
  return tx.quarantinedEvent.count()
}

/** Of all tenants, oldest first. Only the `ids` if given, and only what follows `after`. */
export function findQuarantinedEvents(
  tx: Tx,
  { ids, after, limit }: { ids?: readonly string[] | undefined; after?: string | undefined; limit: number },
): Promise<QuarantinedEvent[]> {
  const id = { ...(ids === undefined ? {} : { in: [...ids] }), ...(after === undefined ? {} : { gt: after }) }
  return tx.quarantinedEvent.findMany({ where: { id }, orderBy: { id: 'asc' }, take: limit })
}

/** False when another process has deleted the event. */
export async function deleteQuarantinedEvent(tx: Tx, tenantId: string, id: string): Promise<boolean> {
  const { count } = await tx.quarantinedEvent.deleteMany({ where: { tenantId, id } })
  return count === 1
}

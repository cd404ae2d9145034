import type { Tx } from './database.ts'

/** An event that its contract rejected, of an outcome that is recorded. It has no data of the payment. */
export interface QuarantinedEvent {
  /** UUID v7. */
  readonly id: string
  readonly tenantId: string
  readonly transactionId: string
  readonly operationId: string
  readonly type: string
  readonly reason: string
  readonly createdAt: Date
}

export async function insertQuarantinedEvent(tx: Tx, tenantId: string, event: QuarantinedEvent): Promise<void> {
  await tx.quarantinedEvent.create({ data: { ...event, tenantId } })
}

/** Of all tenants. */
export function countQuarantinedEvents(tx: Tx): Promise<number> {
  return tx.quarantinedEvent.count()
}

/** Of all tenants, oldest first: those of `ids` if given, after `after`. */
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

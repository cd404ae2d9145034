import { purgeRows } from '@payments/chassis/database/purges'
import type { Operation } from '../domain/operation.ts'
import type { ProviderEvent } from '../domain/provider-event.ts'
import type { Prisma } from '../generated/client.ts'
import type { ProviderEventModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

/** Changes nothing when the payment orchestrator has reported the event before. */
export async function insertProviderEvent(tx: Tx, tenantId: string, event: ProviderEvent): Promise<void> {
  const outcome = JSON.parse(JSON.stringify(event.outcome)) as Prisma.InputJsonObject
  await tx.providerEvent.createMany({ data: [{ ...event, tenantId, outcome }], skipDuplicates: true })
}

/** Whether `limit` events of the payment orchestrator, or more, are not applied yet. */
export async function hasQueuedEvents(
  tx: Tx,
  tenantId: string,
  paymentOrchestratorId: string,
  limit: number,
): Promise<boolean> {
  const where = { tenantId, paymentOrchestratorId, dueAt: { not: null } }
  return (await tx.providerEvent.findFirst({ where, orderBy: { id: 'asc' }, skip: limit - 1 })) !== null
}

/** Events of all tenants that are not applied, for metrics, and how long the longest overdue one has been due. */
export async function countQueuedEvents(tx: Tx, now: Date): Promise<{ count: number; overdueSeconds: number }> {
  const [row] = await tx.$queryRaw<[{ count: number; overdueSeconds: number }]>`
    SELECT count(*)::int AS "count",
      greatest(0, extract(epoch FROM ${now}::timestamptz - min(due_at)))::float8 AS "overdueSeconds"
    FROM provider_events WHERE due_at IS NOT NULL`
  return row
}

/** The order in which the events of a tenant are applied. */
export const dueOrder = 'due_at, id'

/**
 * Locks a due event. Null when it is not due, when another process applies it, or while an event about the same
 * operation has been due for longer. `dueOrder` is the same, so the first event of a tenant waits for none.
 */
export async function lockDueEvent(tx: Tx, tenantId: string, id: string, now: Date): Promise<ProviderEvent | null> {
  const [locked] = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM provider_events AS event
    WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid AND due_at <= ${now}
      AND NOT EXISTS (
        SELECT 1 FROM provider_events AS earlier
        WHERE (earlier.due_at, earlier.id) < (event.due_at, event.id) AND earlier.tenant_id = event.tenant_id
          AND earlier.payment_orchestrator_id = event.payment_orchestrator_id
          AND (earlier.operation_id = event.operation_id OR earlier.provider_reference = event.provider_reference))
    FOR UPDATE SKIP LOCKED`
  if (locked === undefined) return null
  const row = await tx.providerEvent.findFirst({ where: { tenantId, id } })
  return row && toEvent(row)
}

export async function updateProviderEvent(tx: Tx, tenantId: string, event: ProviderEvent): Promise<void> {
  const { id, appliedAt, attemptCount, dueAt } = event
  await tx.providerEvent.updateMany({ where: { tenantId, id }, data: { appliedAt, attemptCount, dueAt } })
}

/** Ends the wait of unmatched events of a payment orchestrator, except for the latest `max`. */
export async function endUnmatched(
  tx: Tx,
  tenantId: string,
  paymentOrchestratorId: string,
  max: number,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE provider_events SET due_at = NULL WHERE id = ANY (ARRAY(
      SELECT id FROM provider_events
      WHERE tenant_id = ${tenantId}::uuid AND payment_orchestrator_id = ${paymentOrchestratorId}::uuid
        AND due_at IS NOT NULL AND attempt_count > 0
      ORDER BY id DESC OFFSET ${max} FOR UPDATE SKIP LOCKED))`
}

export async function findProviderEvent(tx: Tx, tenantId: string, id: string): Promise<ProviderEvent | null> {
  const row = await tx.providerEvent.findFirst({ where: { tenantId, id } })
  return row && toEvent(row)
}

/**
 * The operation of an event, of the same payment orchestrator: by our id, or, in an event without it, by the
 * reference of the provider, an open operation first. Several operations of a payment may have one reference.
 */
export async function findReportedOperation(
  tx: Tx,
  tenantId: string,
  { paymentOrchestratorId, operationId, providerReference }: ProviderEvent,
): Promise<Pick<Operation, 'id' | 'transactionId'> | null> {
  const [found] = await tx.$queryRaw<Pick<Operation, 'id' | 'transactionId'>[]>`
    SELECT operations.id::text AS "id", transaction_id::text AS "transactionId"
    FROM operations JOIN transactions ON transactions.id = transaction_id
    WHERE operations.tenant_id = ${tenantId}::uuid AND payment_orchestrator_id = ${paymentOrchestratorId}::uuid
      AND (operations.id = ${operationId}::uuid
        OR (${operationId}::uuid IS NULL AND provider_reference = ${providerReference}))
    ORDER BY due_at IS NULL, operations.id DESC LIMIT 1`
  return found ?? null
}

function toEvent(row: ProviderEventModel): ProviderEvent {
  const { authorizationExpiresAt, ...outcome } = row.outcome as Record<string, unknown>
  const times =
    typeof authorizationExpiresAt === 'string' ? { authorizationExpiresAt: new Date(authorizationExpiresAt) } : {}
  return { ...row, outcome: { ...outcome, ...times } as unknown as ProviderEvent['outcome'] }
}

/** Deletes events with ids below `idBefore`, and none that waits. */
export const purgeEvents = (idBefore: string) =>
  purgeRows('provider_events', 'id', `id < '${idBefore}' AND due_at IS NULL`)

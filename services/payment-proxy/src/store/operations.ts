import { bytesSql } from '@payments/chassis/database/list-part'
import { type Operation, type OperationState, reviewBefore, type ShownOperation } from '../domain/operation.ts'
import { Prisma } from '../generated/client.ts'
import type { OperationModel } from '../generated/models.ts'
import type { Tx, WithText } from './database.ts'

/** Oldest first. */
export async function operationsOf(tx: Tx, tenantId: string, transactionIds: readonly string[]): Promise<Operation[]> {
  const rows = await tx.operation.findMany({
    where: { tenantId, transactionId: { in: [...transactionIds] } },
    orderBy: { number: 'asc' },
  })
  return rows.map(operationOf)
}

/** The operations of each transaction, oldest first. */
export async function shownOperationsOf(
  tx: Tx,
  tenantId: string,
  transactionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ShownOperation[]>> {
  const rows = await tx.operation.findMany({
    where: { tenantId, transactionId: { in: [...transactionIds] } },
    orderBy: { number: 'asc' },
    omit: { items: true },
  })
  const byTransaction = new Map<string, ShownOperation[]>(transactionIds.map((id) => [id, []]))
  for (const row of rows) byTransaction.get(row.transactionId)?.push(shownOperationOf(row))
  return byTransaction
}

/** SQL: the bytes of an operation as `shownOperationsOf` reads it. */
export const shownBytes = bytesSql(['reason', 'error', 'action', 'authentication', 'void_request', 'resolution'])

/** Newest first; one more than `limit`. */
export async function findOperations(
  tx: Tx,
  tenantId: string,
  transactionId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<ShownOperation[]> {
  const rows = await tx.operation.findMany({
    where: { tenantId, transactionId, ...(before === undefined ? {} : { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
    omit: { items: true },
  })
  return rows.map(shownOperationOf)
}

export async function transactionIdOf(tx: Tx, tenantId: string, operationId: string): Promise<string | null> {
  const row = await tx.operation.findFirst({ where: { tenantId, id: operationId }, select: { transactionId: true } })
  return row?.transactionId ?? null
}

export async function insertOperation(tx: Tx, tenantId: string, operation: Operation): Promise<void> {
  const { items, error, action, authentication, voidRequest, resolution, ...columns } = operation
  const objects = { items, error, action, authentication, voidRequest, resolution }
  await tx.operation.create({ data: { ...columns, tenantId, ...jsonColumns(objects) } })
}

/** Returns false, and changes nothing, when the operation is not as `before`: a claim does not lock transactions. */
export async function updateOperation(
  tx: Tx,
  tenantId: string,
  before: Pick<Operation, 'state' | 'attemptCount'>,
  operation: Operation,
): Promise<boolean> {
  const { id, state, providerReference, error, openReason, resolution, attemptCount, dueAt, completedAt } = operation
  const { action, authentication, voidRequest, pendingReportedAt } = operation
  const changes = { state, providerReference, openReason, pendingReportedAt, attemptCount, dueAt, completedAt }
  const { count } = await tx.operation.updateMany({
    where: { tenantId, id, state: before.state, attemptCount: before.attemptCount },
    data: { ...changes, ...jsonColumns({ error, action, authentication, voidRequest, resolution }) },
  })
  return count === 1
}

/** Makes the next sync of an open operation due, unless a process has its lease. */
export async function makeSyncDue(tx: Tx, tenantId: string, id: string, now: Date): Promise<void> {
  const where = { tenantId, id, state: { in: waitingStates }, dueAt: { gt: now } }
  await tx.operation.updateMany({ where, data: { dueAt: now } })
}

const waitingStates: OperationState[] = ['action_required', 'pending', 'unknown']

/** The state of an operation as `presentState` of the domain shows it. */
export function shownState(now: Date): Prisma.Sql {
  const waits = Prisma.sql`(action IS NOT NULL AND state IN ('in_progress', 'action_required', 'unknown'))`
  return Prisma.sql`CASE
    WHEN ${waits} AND (action->>'expires_at')::timestamptz > ${now} THEN 'action_required'
    WHEN NOT ${waits} AND state NOT IN ('pending', 'unknown') THEN state::text
    WHEN coalesce(CASE state WHEN 'pending' THEN pending_reported_at END, created_at) <= ${reviewBefore(now)}
      THEN 'needs_review'
    WHEN state = 'pending' THEN 'pending'
    ELSE 'unknown' END`
}

export interface OpenOperationCount {
  /** As `shownState`. */
  readonly state: string
  readonly count: number
  readonly oldestAgeSeconds: number
  /** Time since the longest overdue of them should have been claimed. 0 when none is overdue. */
  readonly overdueSeconds: number
}

/** Open operations of all tenants, for metrics. */
export function countOpenOperations(tx: Tx, now: Date): Promise<OpenOperationCount[]> {
  return tx.$queryRaw<OpenOperationCount[]>`
    SELECT ${shownState(now)} AS "state", count(*)::int AS "count",
      extract(epoch FROM ${now}::timestamptz - min(created_at))::float8 AS "oldestAgeSeconds",
      greatest(0, extract(epoch FROM ${now}::timestamptz - min(due_at)))::float8 AS "overdueSeconds"
    FROM operations WHERE due_at IS NOT NULL GROUP BY 1`
}

export interface ClaimedOperation {
  readonly id: string
  readonly tenantId: string
  readonly transactionId: string
}

/** Claims open operations that the transaction has locked, until `leaseUntil`, as `claimed` of the domain does. */
export function claim(tx: Tx, ids: readonly string[], leaseUntil: Date): Promise<ClaimedOperation[]> {
  return tx.$queryRaw<ClaimedOperation[]>`
    UPDATE operations SET due_at = ${leaseUntil}, attempt_count = operations.attempt_count + 1,
      state = CASE WHEN operations.action IS NOT NULL AND operations.state IN ('action_required', 'unknown')
        THEN 'in_progress' ELSE operations.state END
    WHERE operations.id = ANY(${ids}::uuid[])
    RETURNING id::text AS "id", tenant_id::text AS "tenantId", transaction_id::text AS "transactionId"`
}

type Json = Prisma.InputJsonValue | typeof Prisma.DbNull

function jsonColumns<const Name extends string>(objects: Record<Name, object | null>): Record<Name, Json> {
  const entries = Object.entries<object | null>(objects).map(([name, value]) => [name, value ?? Prisma.DbNull])
  return Object.fromEntries(entries) as Record<Name, Json>
}

/** As `transactionOf`. */
export function operationOf(row: WithText<OperationModel>): Operation {
  return { ...shownOperationOf(row), items: row.items as unknown as Operation['items'] }
}

function shownOperationOf(row: Omit<WithText<OperationModel>, 'items'>): ShownOperation {
  return {
    ...row,
    amount: Number(row.amount),
    amountReleased: Number(row.amountReleased),
    error: row.error as unknown as Operation['error'],
    action: row.action as unknown as Operation['action'],
    authentication: row.authentication as unknown as Operation['authentication'],
    voidRequest: row.voidRequest as unknown as Operation['voidRequest'],
    resolution: row.resolution as unknown as Operation['resolution'],
  }
}

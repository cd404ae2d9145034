import { bytesSql } from '@payments/chassis/database/list-part'
import sql, { raw, type Sql } from 'sql-template-tag'
import { type OperationState, reviewBefore, type ShownOperation } from '../domain/operation.ts'
import { Prisma } from '../generated/client.ts'
import type { Tx } from './database.ts'

/** SQL: the columns that responses show. */
const shownColumns = `id, tenant_id AS "tenantId", transaction_id AS "transactionId", number, type, state, amount,
  amount_released AS "amountReleased", stage, reason, provider_reference AS "providerReference", error,
  open_reason AS "openReason", pending_reported_at AS "pendingReportedAt", action, authentication,
  void_request AS "voidRequest", resolution, attempt_count AS "attemptCount", due_at AS "dueAt",
  trace_id AS "traceId", actor, created_at AS "createdAt", completed_at AS "completedAt"`

/** SQL: the bytes of an operation with `shownColumns`. */
export const shownBytes = bytesSql(['reason', 'error', 'action', 'authentication', 'void_request', 'resolution'])

/**
 * Selects operations as one JSON text, for `decodeOperations`. A transaction has up to 200: as rows with a value per
 * column, they would hold the event loop ten times as long.
 */
function selectOperations(columns: string, rows: Sql): Sql {
  return sql`
    SELECT coalesce(json_agg(one), '[]')::text AS operations
    FROM (SELECT ${raw(columns)} FROM operations ${rows}) AS one`
}

/** Selects operations with all columns, oldest first. `transactions`: a condition on the ids of transactions. */
export function selectWholeOperations(tenantId: string, transactions: Sql): Sql {
  return selectOperations(`${shownColumns}, items, account AS "accountName"`, ofTransactions(tenantId, transactions))
}

const ofTransactions = (tenantId: string, transactions: Sql) =>
  sql`WHERE tenant_id = ${tenantId}::uuid AND transaction_id ${transactions} ORDER BY number`

/** An operation as PostgreSQL encodes it: instants are texts. */
type Encoded<Read> = {
  readonly [Name in keyof Read]: Read[Name] extends Date | null ? string | Extract<Read[Name], null> : Read[Name]
}

/** Decodes the text that `selectOperations` selects. */
export function decodeOperations<Read extends ShownOperation>(operations: string): Read[] {
  return (JSON.parse(operations) as Encoded<ShownOperation>[]).map(
    (row) =>
      ({
        ...row,
        pendingReportedAt: toInstant(row.pendingReportedAt),
        dueAt: toInstant(row.dueAt),
        createdAt: new Date(row.createdAt),
        completedAt: toInstant(row.completedAt),
      }) as Read,
  )
}

const toInstant = (text: string | null) => (text === null ? null : new Date(text))

/** The operations of each transaction, oldest first. */
export async function findShownOperations(
  tx: Tx,
  tenantId: string,
  transactionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ShownOperation[]>> {
  const rows = ofTransactions(tenantId, sql`= ANY (${transactionIds}::uuid[])`)
  const byTransaction = new Map<string, ShownOperation[]>(transactionIds.map((id) => [id, []]))
  for (const operation of await readShown(tx, rows)) {
    byTransaction.get(operation.transactionId)?.push(operation)
  }
  return byTransaction
}

/** Newest first; one more than `limit`. */
export async function findOperations(
  tx: Tx,
  tenantId: string,
  transactionId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<ShownOperation[]> {
  const rows = sql`
    WHERE tenant_id = ${tenantId}::uuid AND transaction_id = ${transactionId}::uuid
      AND (${before ?? null}::uuid IS NULL OR id < ${before ?? null}::uuid)
    ORDER BY id DESC LIMIT ${limit + 1}::int`
  return readShown(tx, rows)
}

async function readShown(tx: Tx, rows: Sql): Promise<ShownOperation[]> {
  const [found] = await tx.$queryRaw<[{ operations: string }]>(selectOperations(shownColumns, rows))
  return decodeOperations(found.operations)
}

/** Before the first request of the operation is sent. */
export async function storeAccountName(tx: Tx, tenantId: string, id: string, accountName: string): Promise<void> {
  await tx.operation.updateMany({ where: { tenantId, id }, data: { accountName } })
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

interface OpenOperationCount {
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

export type ClaimedOperation = Pick<ShownOperation, 'id' | 'tenantId' | 'transactionId'>

/** Claims open operations that the transaction has locked, until `leaseUntil`, as `leaseOperation` does. */
export function claimOperations(tx: Tx, ids: readonly string[], leaseUntil: Date): Promise<ClaimedOperation[]> {
  return tx.$queryRaw<ClaimedOperation[]>`
    UPDATE operations SET due_at = ${leaseUntil}, attempt_count = operations.attempt_count + 1,
      state = CASE WHEN operations.action IS NOT NULL AND operations.state IN ('action_required', 'unknown')
        THEN 'in_progress' ELSE operations.state END
    WHERE operations.id = ANY(${ids}::uuid[])
    RETURNING id::text AS "id", tenant_id::text AS "tenantId", transaction_id::text AS "transactionId"`
}

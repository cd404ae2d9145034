import type { Caller } from '@payments/chassis/base/caller'
import type { Stored } from '@payments/chassis/request/idempotency'
import { claimKey, storeReply } from '@payments/chassis/request/idempotency-statements'
import { type EventRow, insertEvent } from '@payments/messaging/outbox/event-row'
import sql, { empty, raw, type Sql } from 'sql-template-tag'
import type { Operation } from '../domain/operation.ts'
import { amountsOf, statusOf } from '../domain/status.ts'
import type { Transaction, TransactionAggregate } from '../domain/transaction.ts'

/**
 * **What it does.** Writes the books of a payment by one statement each: the key of the request, the transaction, its
 * operation and the event.
 *
 * **Guarantees.** Each part selects from the one before it. So a statement writes everything, or nothing when the key
 * is not new, or the rows are not as the caller has read them: it then returns no row. The rows are locked in the order
 * of every other writer: the transaction, then its operations.
 *
 * **Not guaranteed.** Why nothing was written. The caller repeats its work under the locks (operation/start.ts,
 * operation/record.ts).
 */

/** Inserts a transaction, with its first operation if it has one. Returns the columns of the event. */
export function insertStatement(
  caller: Caller,
  { transaction, operations }: TransactionAggregate,
  { reference, stored }: { reference?: string; stored?: Stored },
  event: EventRow,
): Sql {
  const [operation] = operations
  return sql`
    WITH claimed AS (${claimKey(caller, { reference: reference ?? null, stored: stored ?? null })}),
    created AS (${insertTransactionPart(transaction, operations)}),
    started AS (${operation === undefined ? sql`SELECT 1` : insertOperationPart(operation, raw('created'))}),
    event AS (${insertEvent(event, raw('created'))})
    SELECT * FROM event`
}

/** Starts an operation of a transaction that is as `before`. Returns one row if the operation has started. */
export function startStatement(
  caller: Caller,
  before: Pick<Transaction, 'version'>,
  { transaction, operations }: TransactionAggregate,
  operation: Operation,
): Sql {
  return sql`
    WITH locked AS (${lockPart(transaction, before.version)}),
    claimed AS (${claimKey(caller, { reference: operation.id, from: raw('locked') })}),
    started AS (${insertOperationPart(operation, raw('claimed'))}),
    changed AS (${updateTransactionPart(transaction, operations, raw('claimed'))})
    SELECT 1 AS started FROM claimed`
}

/** The change of the books by the outcome of an operation. */
export interface BookChange {
  readonly before: { readonly transaction: Transaction; readonly operation: Operation }
  readonly after: { readonly aggregate: TransactionAggregate; readonly operation: Operation }
  /** An operation that starts at the same time. */
  readonly next: Operation | null
  readonly isTransactionChanged: boolean
}

/**
 * Records the outcome of an operation that is as `before`. Returns one row if it was recorded: the columns of the
 * event, or nulls without an event.
 */
export function recordStatement(
  { before, after, next, isTransactionChanged }: BookChange,
  reply: { readonly caller: Caller; readonly stored: Stored } | null,
  event: EventRow | null,
): Sql {
  const { transaction, operations } = after.aggregate
  const recorded = raw('recorded')
  return sql`
    WITH locked AS (${lockPart(before.transaction, before.transaction.version)}),
    recorded AS (${updateOperationPart(before.operation, after.operation)})
    ${next === null ? empty : sql`, started AS (${insertOperationPart(next, recorded)})`}
    ${isTransactionChanged ? sql`, changed AS (${updateTransactionPart(transaction, operations, recorded)})` : empty}
    ${reply === null ? empty : sql`, replied AS (${storeReply(reply.caller, reply.stored, recorded)})`}
    ${event === null ? sql`SELECT 1 AS recorded FROM recorded` : sql`, event AS (${insertEvent(event, recorded)}) SELECT * FROM event`}`
}

function lockPart({ tenantId, id }: Transaction, version: number): Sql {
  return sql`
    SELECT 1 FROM transactions
    WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid AND version = ${version}::int FOR UPDATE`
}

function insertTransactionPart(transaction: Transaction, operations: readonly Operation[]): Sql {
  const { id, tenantId, businessUnitId, paymentOrchestratorId, merchantId, externalReference } = transaction
  const { currency, amount, capture, i2p, locale, invitation, items, customerDetails, metadata } = transaction
  const { version, createdAt, updatedAt } = transaction
  return sql`
    INSERT INTO transactions (id, tenant_id, business_unit_id, payment_orchestrator_id, merchant_id, external_reference,
      currency, amount, status, capture, i2p, locale, invitation, items, customer_details, metadata, version, created_at,
      updated_at)
    SELECT ${id}::uuid, ${tenantId}::uuid, ${businessUnitId}::uuid, ${paymentOrchestratorId}::uuid, ${merchantId},
      ${externalReference}, ${currency}, ${amount}::bigint, ${statusOf(operations)}::"TransactionStatus",
      ${capture}::boolean, ${i2p}::boolean, ${locale}, ${json(invitation)}::jsonb, ${json(items)}::jsonb,
      ${json(customerDetails)}::jsonb, ${json(metadata)}::jsonb, ${version}::int, ${instant(createdAt)}::timestamptz,
      ${instant(updatedAt)}::timestamptz
    FROM claimed RETURNING 1`
}

/** The columns that an operation changes. Status and amounts are computed from the operations. */
function updateTransactionPart(transaction: Transaction, operations: readonly Operation[], from: Sql): Sql {
  const { id, tenantId, version, updatedAt, authorizationExpiresAt, paymentMethod } = transaction
  const { authorized, captured, refunded, voided } = amountsOf(operations)
  return sql`
    UPDATE transactions SET status = ${statusOf(operations)}::"TransactionStatus",
      amount_authorized = ${authorized}::bigint, amount_captured = ${captured}::bigint,
      amount_refunded = ${refunded}::bigint, amount_voided = ${voided}::bigint,
      payment_method = ${json(paymentMethod)}::jsonb,
      authorization_expires_at = ${instant(authorizationExpiresAt)}::timestamptz, version = ${version}::int,
      updated_at = ${instant(updatedAt)}::timestamptz
    FROM ${from} WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid`
}

function insertOperationPart(operation: Operation, from: Sql): Sql {
  const { id, tenantId, transactionId, number, type, state, amount, amountReleased, stage, reason } = operation
  const { items, attemptCount, dueAt, account, traceId, actor, createdAt } = operation
  return sql`
    INSERT INTO operations (id, tenant_id, transaction_id, number, type, state, amount, amount_released, stage, reason,
      items, attempt_count, due_at, account, trace_id, actor, created_at)
    SELECT ${id}::uuid, ${tenantId}::uuid, ${transactionId}::uuid, ${number}::int, ${type}::"OperationType",
      ${state}::"OperationState", ${amount}::bigint, ${amountReleased}::bigint, ${stage}::"Stage", ${reason},
      ${json(items)}::jsonb, ${attemptCount}::int, ${instant(dueAt)}::timestamptz, ${account},
      ${traceId}::uuid, ${actor}, ${instant(createdAt)}::timestamptz
    FROM ${from}`
}

function updateOperationPart(before: Operation, after: Operation): Sql {
  const { id, tenantId, state, providerReference, error, openReason, resolution, attemptCount, dueAt } = after
  const { action, authentication, voidRequest, pendingReportedAt } = after
  return sql`
    UPDATE operations SET state = ${state}::"OperationState", provider_reference = ${providerReference},
      error = ${json(error)}::jsonb, open_reason = ${openReason}, resolution = ${json(resolution)}::jsonb,
      action = ${json(action)}::jsonb, authentication = ${json(authentication)}::jsonb,
      void_request = ${json(voidRequest)}::jsonb,
      pending_reported_at = ${instant(pendingReportedAt)}::timestamptz,
      attempt_count = ${attemptCount}::int, due_at = ${instant(dueAt)}::timestamptz,
      completed_at = ${instant(after.completedAt)}::timestamptz
    FROM locked
    WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid
      AND state = ${before.state}::"OperationState" AND attempt_count = ${before.attemptCount}::int
    RETURNING 1 AS recorded`
}

function json(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}

function instant(value: Date | null): string | null {
  return value === null ? null : value.toISOString()
}

import type { Caller, Idempotency } from '@payments/chassis/base/caller'
import type { RequestResult, StoredKey } from '@payments/chassis/request/idempotency'
import { type KeyEntry, selectKey, storeKey, storeReply } from '@payments/chassis/request/idempotency-statements'
import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import { type EventRow, insertEvent } from '@payments/messaging/outbox/event-row'
import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import { requiresOwnLease } from '../domain/lease.ts'
import type { Operation } from '../domain/operation.ts'
import { deriveStatus, sumAmounts } from '../domain/status.ts'
import type { Transaction, TransactionAggregate } from '../domain/transaction.ts'
import { decodeOperations, selectWholeOperations } from './operations.ts'
import { insertQuarantinedEvent, type QuarantinedEvent } from './quarantined-events.ts'
import { type TransactionRow, toTransaction } from './transactions.ts'

/** The statements of the books: one reads them, one writes them; a third finds who has an external reference. */

type BooksRow = (TransactionRow | { readonly id: null }) & {
  readonly storedKey: StoredKey | null
  readonly operations: string
  readonly orchestrator: PaymentOrchestrator | null
}

/**
 * Selects the key of a request, and a transaction with its operations and its payment orchestrator. Without a
 * `transactionId`, it selects the transaction of the operation to which the key refers.
 */
export function selectBooks(tenantId: string, transactionId: string | null, idempotency: Idempotency | null): Sql {
  const found =
    transactionId === null
      ? sql`
        LEFT JOIN operations o ON o.tenant_id = ${tenantId}::uuid AND o.id = k.reference::uuid
        LEFT JOIN transactions t ON t.tenant_id = o.tenant_id AND t.id = o.transaction_id`
      : sql`LEFT JOIN transactions t ON t.tenant_id = ${tenantId}::uuid AND t.id = ${transactionId}::uuid`
  return sql`
    SELECT to_jsonb(k) AS "storedKey", t.id, t.tenant_id AS "tenantId", t.business_unit_id AS "businessUnitId",
      t.payment_orchestrator_id AS "paymentOrchestratorId", t.merchant_id AS "merchantId",
      t.external_reference AS "externalReference", t.currency, t.amount, t.capture, t.i2p, t.locale, t.invitation,
      t.payment_method AS "paymentMethod", t.authorization_expires_at AS "authorizationExpiresAt", t.items,
      t.customer_details AS "customerDetails", t.metadata, t.version, t.created_at AS "createdAt",
      t.updated_at AS "updatedAt", (${selectWholeOperations(tenantId, sql`= t.id`)}) AS operations,
      (SELECT orchestrator FROM business_unit_copies c, jsonb_array_elements(c.payment_orchestrators) AS orchestrator
       WHERE c.tenant_id = t.tenant_id AND c.business_unit_id = t.business_unit_id
         AND orchestrator ->> 'id' = t.payment_orchestrator_id::text) AS orchestrator
    FROM (SELECT 1) AS request LEFT JOIN (${selectKey(tenantId, idempotency)}) AS k ON true ${found}`
}

/** Decodes the row that `selectBooks` has returned. */
export function decodeBooks([row]: readonly object[]) {
  const { storedKey, operations, orchestrator, ...transaction } = row as BooksRow
  return {
    storedKey: storedKey ?? undefined,
    aggregate:
      transaction.id === null
        ? null
        : { transaction: toTransaction(transaction), operations: decodeOperations<Operation>(operations) },
    orchestrator,
  }
}

/** Selects the transaction that has an external reference in a business unit: the newest that has had it. */
export function selectByExternalReference(
  tenantId: string,
  { businessUnitId, externalReference }: Pick<Transaction, 'businessUnitId' | 'externalReference'>,
): Sql {
  return sql`
    SELECT id FROM transactions WHERE tenant_id = ${tenantId}::uuid AND business_unit_id = ${businessUnitId}::uuid
      AND external_reference = ${externalReference} ORDER BY id DESC LIMIT 1`
}

/** A change of the books of a transaction, decided on `before`. */
export interface BookChange {
  /** As read. Null: the transaction is new. */
  readonly before: TransactionAggregate | null
  /** Shares with `before` the objects that do not change. At most one operation changes, and at most one is new. */
  readonly after: TransactionAggregate
  /** The key of a request that begins, to be stored. */
  readonly key?: KeyEntry
  /** The response to a request that ends. */
  readonly reply?: { readonly caller: Caller; readonly stored: RequestResult } | undefined
}

/**
 * Writes the change and its event, if the version of the transaction and the state of the changed operation are as in
 * `before`, and its attempt where `requiresOwnLease`, and if the key can be stored. Returns one row if it was written,
 * with the columns of the event. Each part selects from an earlier one: all of them write, or none. Locks, in this
 * order: the transaction, the operation, the key. A new transaction follows its key.
 */
export function writeChange(
  tenantId: string,
  { before, after, key, reply }: BookChange,
  event: EventRow | QuarantinedEvent | null,
): Sql {
  const { transaction, operations } = after
  const known = before?.operations ?? []
  const index = known.findIndex((operation, at) => operation !== operations[at])
  const [replaced, changed, added] = [known[index], operations[index], operations[known.length]]
  const parts: Sql[] = []
  const add = (name: string, part: Sql): Sql => {
    parts.push(sql`${raw(name)} AS (${part})`)
    return raw(name)
  }
  const unmoved = before === null ? sql`SELECT 1` : lockUnmoved(tenantId, before.transaction, replaced)
  let from = add('unmoved', unmoved)
  if (key !== undefined) from = add('stored_key', storeKey(key, from))
  if (before === null) from = add('created', insertTransaction(tenantId, after, from))
  if (changed !== undefined && replaced !== undefined) {
    from = add('recorded', updateOperation(tenantId, replaced, changed, from))
  }
  if (added !== undefined) add('started', insertOperation(tenantId, added, from))
  if (before !== null && transaction !== before.transaction) add('updated', updateTransaction(tenantId, after, from))
  if (reply !== undefined) add('replied', storeReply(reply.caller, reply.stored, from))
  if (event !== null) {
    from = add('event', 'payload' in event ? insertEvent(event, from) : insertQuarantinedEvent(tenantId, event, from))
  }
  return sql`WITH ${join(parts)} SELECT * FROM ${from}`
}

function lockUnmoved(tenantId: string, { id, version }: Transaction, operation: Operation | undefined): Sql {
  const unmoved = sql`t.tenant_id = ${tenantId}::uuid AND t.id = ${id}::uuid AND t.version = ${version}::int`
  if (operation === undefined) return sql`SELECT 1 FROM transactions t WHERE ${unmoved} FOR UPDATE`
  const { state, attemptCount } = operation
  const unclaimed = requiresOwnLease(operation) ? sql`AND o.attempt_count = ${attemptCount}::int` : empty
  return sql`
    SELECT 1 FROM transactions t JOIN operations o ON o.tenant_id = t.tenant_id AND o.transaction_id = t.id
    WHERE ${unmoved} AND o.id = ${operation.id}::uuid AND o.state = ${state}::"OperationState" ${unclaimed}
    FOR UPDATE`
}

function insertTransaction(tenantId: string, { transaction, operations }: TransactionAggregate, from: Sql): Sql {
  const { id, businessUnitId, paymentOrchestratorId, merchantId, externalReference } = transaction
  const { currency, amount, capture, i2p, locale, invitation, items, customerDetails, metadata } = transaction
  const { version, createdAt, updatedAt } = transaction
  return sql`
    INSERT INTO transactions (id, tenant_id, business_unit_id, payment_orchestrator_id, merchant_id, external_reference,
      currency, amount, status, capture, i2p, locale, invitation, items, customer_details, metadata, version, created_at,
      updated_at)
    SELECT ${id}::uuid, ${tenantId}::uuid, ${businessUnitId}::uuid, ${paymentOrchestratorId}::uuid, ${merchantId},
      ${externalReference}, ${currency}, ${amount}::bigint, ${deriveStatus(operations)}::"TransactionStatus",
      ${capture}::boolean, ${i2p}::boolean, ${locale}, ${encodeValue(invitation)}::jsonb, ${encodeValue(items)}::jsonb,
      ${encodeValue(customerDetails)}::jsonb, ${encodeValue(metadata)}::jsonb, ${version}::int, ${encodeValue(createdAt)}::timestamptz,
      ${encodeValue(updatedAt)}::timestamptz
    FROM ${from} ON CONFLICT (id) DO NOTHING RETURNING 1`
}

/** The columns that change. Status and amounts are computed from the operations. */
function updateTransaction(tenantId: string, { transaction, operations }: TransactionAggregate, from: Sql): Sql {
  const { id, i2p, version, updatedAt, authorizationExpiresAt, paymentMethod } = transaction
  const { authorized, captured, refunded, voided } = sumAmounts(operations)
  return sql`
    UPDATE transactions SET status = ${deriveStatus(operations)}::"TransactionStatus",
      amount_authorized = ${authorized}::bigint, amount_captured = ${captured}::bigint,
      amount_refunded = ${refunded}::bigint, amount_voided = ${voided}::bigint,
      i2p = ${i2p}::boolean, payment_method = ${encodeValue(paymentMethod)}::jsonb,
      authorization_expires_at = ${encodeValue(authorizationExpiresAt)}::timestamptz, version = ${version}::int,
      updated_at = ${encodeValue(updatedAt)}::timestamptz
    FROM ${from} WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid`
}

function insertOperation(tenantId: string, operation: Operation, from: Sql): Sql {
  const { id, transactionId, number, type, state, amount, amountReleased, stage, reason } = operation
  const { items, attemptCount, dueAt, accountName, traceId, actor, createdAt, completedAt } = operation
  return sql`
    INSERT INTO operations (id, tenant_id, transaction_id, number, type, state, amount, amount_released, stage, reason,
      items, attempt_count, due_at, account, trace_id, actor, created_at, completed_at)
    SELECT ${id}::uuid, ${tenantId}::uuid, ${transactionId}::uuid, ${number}::int, ${type}::"OperationType",
      ${state}::"OperationState", ${amount}::bigint, ${amountReleased}::bigint, ${stage}::"Stage", ${reason},
      ${encodeValue(items)}::jsonb, ${attemptCount}::int, ${encodeValue(dueAt)}::timestamptz, ${accountName},
      ${traceId}::uuid, ${actor}, ${encodeValue(createdAt)}::timestamptz, ${encodeValue(completedAt)}::timestamptz
    FROM ${from}`
}

/** The columns that a change of an operation may have, with their types. */
const changingColumns = [
  ['state', 'state', '"OperationState"'],
  ['providerReference', 'provider_reference', 'text'],
  ['error', 'error', 'jsonb'],
  ['openReason', 'open_reason', 'text'],
  ['resolution', 'resolution', 'jsonb'],
  ['action', 'action', 'jsonb'],
  ['authentication', 'authentication', 'jsonb'],
  ['voidRequest', 'void_request', 'jsonb'],
  ['pendingReportedAt', 'pending_reported_at', 'timestamptz'],
  ['dueAt', 'due_at', 'timestamptz'],
  ['completedAt', 'completed_at', 'timestamptz'],
] as const

/** Sets the columns that the decision changes, and no other: processes that read the outcome at once share the row. */
function updateOperation(tenantId: string, before: Operation, operation: Operation, from: Sql): Sql {
  const changes = changingColumns
    .filter(([name]) => operation[name] !== before[name])
    .map(([name, column, type]) => sql`${raw(column)} = ${encodeValue(operation[name])}::${raw(type)}`)
  const attempts = operation.attemptCount - before.attemptCount
  return sql`
    UPDATE operations SET ${join(changes)}, attempt_count = attempt_count + ${attempts}::int
    FROM ${from} WHERE tenant_id = ${tenantId}::uuid AND id = ${operation.id}::uuid RETURNING 1`
}

/** A value as the driver writes it: an instant in ISO 8601, an object as JSON. */
function encodeValue(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

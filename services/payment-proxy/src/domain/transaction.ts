import type { HeldPermissions } from '@payments/contracts/grammar/permission'
import type { Invitation } from '@payments/contracts/nouns/invitation'
import type { PartlyShownTransaction, Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import { isOpen, type Operation, presentOperation, presentState, type ShownOperation } from './operation.ts'
import { capturableAmount, deriveStatus, refundableAmount, sumAmounts } from './status.ts'

export type Item = TransactionReply['transaction_items'][number]
export type PaymentMethod = NonNullable<TransactionReply['payment_method']>

export interface Transaction {
  readonly id: string
  readonly tenantId: string
  readonly businessUnitId: string
  readonly paymentOrchestratorId: string
  readonly merchantId: string | null
  readonly externalReference: string | null
  readonly currency: string
  readonly amount: number
  readonly capture: boolean
  /** Whether the transaction is paid through an invitation to pay. */
  readonly i2p: boolean
  /** Language of the customer, as requested. */
  readonly locale: string | null
  /** As requested with the transaction. */
  readonly invitation: Invitation | null
  readonly paymentMethod: PaymentMethod | null
  readonly authorizationExpiresAt: Date | null
  readonly items: readonly Item[]
  readonly customerDetails: TransactionReply['customer_details']
  readonly metadata: TransactionReply['metadata']
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A transaction with its operations, oldest first. */
export interface TransactionAggregate {
  readonly transaction: Transaction
  readonly operations: readonly Operation[]
}

/** The transaction with the operation in place of an earlier state of it. */
export function replaceOperation(
  { transaction, operations }: TransactionAggregate,
  operation: Operation,
): TransactionAggregate {
  return { transaction, operations: operations.map((one) => (one.id === operation.id ? operation : one)) }
}

/** Throws an error when the operation does not belong to the transaction. */
export function requireOperation({ operations }: TransactionAggregate, operationId: string): Operation {
  const found = operations.find(({ id }) => id === operationId)
  if (found === undefined) throw new Error(`operation ${operationId} does not belong to the transaction`)
  return found
}

/** A transaction with the part of its operations that responses show, oldest first. */
export interface ShownTransaction {
  readonly transaction: Transaction
  readonly operations: readonly ShownOperation[]
}

export type Snapshot = Omit<TransactionReply, 'operations'>

/** The transaction as events show it. */
export function presentSnapshot({ transaction, operations }: ShownTransaction, now: Date): Snapshot {
  const amounts = sumAmounts(operations)
  const pending = operations.find(isOpen)
  const last = operations.at(-1)
  return {
    id: transaction.id,
    object: 'transaction',
    business_unit_id: transaction.businessUnitId,
    payment_orchestrator_id: transaction.paymentOrchestratorId,
    external_reference: transaction.externalReference,
    status: deriveStatus(operations),
    currency: transaction.currency,
    amount: transaction.amount,
    amount_authorized: amounts.authorized,
    amount_captured: amounts.captured,
    amount_refunded: amounts.refunded,
    amount_voided: amounts.voided,
    amount_capturable: capturableAmount(amounts),
    amount_refundable: refundableAmount(amounts),
    capture: transaction.capture,
    i2p: transaction.i2p,
    locale: transaction.locale,
    invitation: transaction.invitation,
    payment_method: transaction.paymentMethod,
    authorization_expires_at: transaction.authorizationExpiresAt?.toISOString() ?? null,
    pending_operation: pending === undefined ? null : withoutLink(presentPending(pending, now), pending),
    last_error: last?.error == null ? null : { ...presentError(last.error), operation_id: last.id },
    transaction_items: [...transaction.items],
    customer_details: transaction.customerDetails,
    metadata: transaction.metadata,
    version: transaction.version,
    created_at: transaction.createdAt.toISOString(),
    updated_at: transaction.updatedAt.toISOString(),
  }
}

export function presentTransaction(aggregate: ShownTransaction, now: Date): TransactionReply {
  const operations = aggregate.operations.map((operation) => presentOperation(operation, now))
  return { ...presentSnapshot(aggregate, now), operations }
}

/** For the page behind the link of a payer, which leads to the action of a payment by link. */
export function presentToPayPage(aggregate: ShownTransaction, now: Date): TransactionReply {
  const pending = aggregate.operations.find(isOpen)
  const pending_operation = pending === undefined ? null : presentPending(pending, now)
  return { ...presentTransaction(aggregate, now), pending_operation }
}

/** A reply to a caller who may lack the permission to read transactions: then status and amounts alone. */
export function presentPartly(
  whole: TransactionReply,
  permissions: HeldPermissions<'transaction:ReadTransaction'>,
): PartlyShownTransaction {
  if (permissions.has('transaction:ReadTransaction')) return { ...whole, missing_permission: null }
  return {
    ...whole,
    external_reference: null,
    locale: null,
    invitation: null,
    payment_method: null,
    pending_operation: null,
    last_error: null,
    transaction_items: [],
    customer_details: null,
    metadata: {},
    operations: [],
    missing_permission: 'transaction:ReadTransaction',
  }
}

function presentPending(operation: ShownOperation, now: Date) {
  const { id, type, action } = operation
  const state = presentState(operation, now)
  return { id, type, state, action: state === 'action_required' ? action : null }
}

/** The action of a payment by link leads back to the link, which is a secret. */
function withoutLink(shown: ReturnType<typeof presentPending>, { actor }: ShownOperation) {
  return actor === 'payer' ? { ...shown, action: null } : shown
}

function presentError(error: NonNullable<Operation['error']>) {
  return { code: error.code, decline_code: error.decline_code }
}

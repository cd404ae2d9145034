import { DeadlineError, within } from '@payments/chassis/base/deadline'
import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import type { Operation } from '../domain/operation.ts'
import { type Outcome, requireSameAmount } from '../domain/outcome.ts'
import type { Transaction } from '../domain/transaction.ts'
import { type ActionRules, actionViolation } from './action-address.ts'
import {
  type Account,
  type CancelReason,
  type Command,
  type Connector,
  type PaymentDetails,
  sentWithinMs,
} from './connector.ts'

/** One request to a payment provider about one operation. */
export interface ProviderRequest {
  readonly operation: Operation
  readonly transaction: Pick<Transaction, 'businessUnitId' | 'paymentOrchestratorId' | 'currency'>
  /** The succeeded authorization of the transaction. Undefined: it has none. */
  readonly authorization: Pick<Operation, 'id' | 'providerReference'> | undefined
  /** As read when the operation was started or leased. Null: not known, so the unit is read. */
  readonly orchestrator: PaymentOrchestrator | null
  readonly instruction: Instruction
  /** Stores the name of the account before the first request of an operation goes to another one. */
  readonly storeAccountName: (name: string) => Promise<void>
}

/**
 * execute: perform the operation; an authorization needs the payment details · sync: read its outcome · cancel: end an
 * authorization that waits for the payer, and read its outcome.
 */
export type Instruction =
  | { readonly kind: 'execute'; readonly paymentDetails: PaymentDetails | null }
  | { readonly kind: 'sync' }
  | { readonly kind: 'cancel'; readonly reason: CancelReason }

/** The request as metrics and spans name it. */
export function requestName({ operation, instruction }: Pick<ProviderRequest, 'operation' | 'instruction'>): string {
  return instruction.kind === 'execute' ? operation.type : instruction.kind
}

/** An operation that is too old to be sent is read instead. */
export function syncIfLate(request: ProviderRequest): ProviderRequest {
  const ageMs = Date.now() - request.operation.createdAt.getTime()
  const isLate = request.instruction.kind === 'execute' && ageMs > sentWithinMs
  return isLate ? { ...request, instruction: { kind: 'sync' } } : request
}

/**
 * The request to an account. Only the stored account of an operation executes it: the first attempt stores the account
 * of the request, and a later attempt to another one reads the outcome instead.
 */
export async function bindToAccount(
  { name }: Pick<Account, 'name'>,
  request: ProviderRequest,
): Promise<ProviderRequest> {
  const { operation, instruction } = request
  if (instruction.kind !== 'execute' || operation.accountName === name) return request
  if (operation.attemptCount > 1 && operation.accountName !== null) return { ...request, instruction: { kind: 'sync' } }
  await request.storeAccountName(name)
  return { ...request, operation: { ...operation, accountName: name } }
}

/**
 * The outcome, unless it denies what an earlier attempt has sent. An account that does not know an operation responds
 * as if it was never sent, or declines it. Another account does so; one that has reported the operation before errs.
 */
export function provenOutcome(
  outcome: Outcome,
  { operation, instruction }: Pick<ProviderRequest, 'operation' | 'instruction'>,
  { name }: Pick<Account, 'name'>,
): Outcome {
  const isFirst = instruction.kind === 'execute' && operation.attemptCount === 1
  const isDenial = outcome.kind === 'not_attempted' || (outcome.kind === 'declined' && instruction.kind === 'execute')
  if (isFirst || !isDenial) return outcome
  const { providerReference, pendingReportedAt, action } = operation
  const isReported = providerReference !== null || pendingReportedAt !== null || action !== null
  if (isReported && outcome.kind === 'not_attempted') {
    return { kind: 'unknown', reason: 'the provider has reported the operation before, and does not know it now' }
  }
  if (operation.accountName === name) return outcome
  return { kind: 'unknown', reason: 'the payment orchestrator has another account since the operation was sent' }
}

const cancellationMsMin = 1_000

export interface ConnectorResult {
  readonly outcome: Outcome
  /** Absent where there is no account. */
  readonly connector?: Connector
  readonly err?: unknown
  /** Why the address of an action was not passed on. */
  readonly violation?: string
}

/**
 * Calls the connector. An action whose address a payer should not open is not passed on: the operation is canceled at
 * the provider, whose outcome decides. Never throws.
 */
export async function callConnector(
  connector: Connector,
  account: Account,
  request: ProviderRequest,
  { timeoutMs, rules }: { readonly timeoutMs: number; readonly rules: ActionRules },
): Promise<ConnectorResult> {
  const startedAt = performance.now()
  const called = await callWithDeadline(connector, account, request, timeoutMs)
  const { outcome } = called
  if (outcome.kind !== 'action_required') return called
  const { type } = request.operation
  const violation = type === 'authorize' ? actionViolation(outcome.action, rules) : `is for no ${type}`
  if (violation === undefined) return called
  const operation = { ...request.operation, providerReference: outcome.providerReference }
  const cancellation = { ...request, operation, instruction: { kind: 'cancel', reason: 'unusable' } } as const
  // Both calls together take little more than one.
  const leftMs = Math.max(cancellationMsMin, timeoutMs - (performance.now() - startedAt))
  const canceled = await callWithDeadline(connector, account, cancellation, leftMs)
  if (canceled.outcome.kind !== 'action_required') return { ...canceled, violation }
  return { outcome: { kind: 'unknown', reason: `the action of the payer ${violation}` }, violation }
}

async function callWithDeadline(
  connector: Connector,
  account: Account,
  request: ProviderRequest,
  timeoutMs: number,
): Promise<ConnectorResult> {
  try {
    const outcome = await callWithin(timeoutMs, (signal) => dispatch(connector, account, request, signal))
    return { outcome }
  } catch (err) {
    if (err instanceof DeadlineError)
      return { outcome: { kind: 'unknown', reason: `no response within ${timeoutMs} ms` } }
    return { outcome: { kind: 'unknown', reason: 'the connector failed' }, err }
  }
}

/** Rejects with a DeadlineError, and aborts the signal, when the call takes longer. The call may continue. */
export async function callWithin<T>(timeoutMs: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const overdue = new AbortController()
  return within(timeoutMs, 'the call of the provider', call(overdue.signal)).catch((error: unknown) => {
    overdue.abort()
    throw error
  })
}

async function dispatch(
  connector: Connector,
  account: Account,
  { operation, transaction, authorization, instruction }: ProviderRequest,
  signal: AbortSignal,
): Promise<Outcome> {
  const { id: operationId, createdAt: startedAt, providerReference, type, amount, amountReleased } = operation
  const { id: authorizationId = operationId, providerReference: authorizationReference = null } = authorization ?? {}
  const ids = { operationId, authorizationId, authorizationReference, providerReference }
  const command: Command = { account, ...ids, type, startedAt, amount, amountReleased, currency: transaction.currency }
  if (instruction.kind === 'sync') return connector.sync(command, signal)
  if (instruction.kind === 'cancel') return connector.cancel({ ...command, reason: instruction.reason }, signal)
  if (type !== 'authorize') return connector.execute({ ...command, type }, signal)
  const { paymentDetails } = instruction
  if (paymentDetails === null) throw new Error('an authorization needs the payment details')
  return connector.execute({ ...command, type, paymentDetails }, signal)
}

/** The outcome, or `unknown` where it contradicts the operation or may be about the last attempt only. */
export function checkOutcome(outcome: Outcome, { operation, transaction, instruction }: ProviderRequest): Outcome {
  if (outcome.kind === 'not_attempted' && instruction.kind === 'execute' && operation.attemptCount > 1) {
    return { kind: 'unknown', reason: `an earlier attempt may have been received: ${outcome.reason}` }
  }
  return requireSameAmount(outcome, operation.amount, transaction.currency)
}

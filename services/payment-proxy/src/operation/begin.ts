import type { Caller } from '@payments/chassis/caller'
import { newId } from '@payments/chassis/id'
import { begin, finish, rebind, type Stored } from '@payments/chassis/idempotency'
import { problems } from '@payments/contracts/payment-proxy'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { Deps } from '../deps.ts'
import { isLeased, type Operation, type OperationPlan } from '../domain/operation.ts'
import { amountsOf } from '../domain/status.ts'
import type { Account } from '../domain/transaction.ts'
import { lockAccount } from '../store/accounts.ts'
import type { Tx } from '../store/database.ts'
import { insertOperation, transactionIdOf } from '../store/operations.ts'
import { updateTransaction } from '../store/transactions.ts'
import { answerOf, type DoneStatus, isRemembered } from './answer.ts'

/** Longer than the provider's deadline and the two transactions around it. */
const leaseMs = 20_000

/** The first step's result: an operation to carry out, or an answer because there is nothing to do any more. */
export type Begun =
  | { readonly kind: 'started'; readonly account: Account; readonly operation: Operation }
  | { readonly kind: 'answered'; readonly stored: Stored }

interface Intent {
  readonly caller: Caller
  readonly done: DoneStatus
  /** Decides under the lock; throws what speaks against it. */
  readonly plan: (account: Account) => OperationPlan
}

/**
 * The first step of a request that moves a transaction. Throws transaction_not_found, idempotency_key_in_use,
 * idempotency_key_reused, and what `plan` throws.
 */
export async function beginOperation(tx: Tx, deps: Deps, transactionId: string, intent: Intent): Promise<Begun> {
  const { caller } = intent
  const operationId = newId()
  const begun = await begin(tx, caller, operationId)
  if (begun.state === 'completed') return { kind: 'answered', stored: begun.stored }
  if (begun.state === 'in_progress') return resumeOperation(tx, deps, begun.reference, operationId, intent)
  const account = await lockAccount(tx, caller.tenantId, transactionId)
  if (account === null) throw new Problem(problems.transaction_not_found)
  return startOperation(tx, deps, account, { ...intent.plan(account), id: operationId, traceId: caller.traceId })
}

/**
 * A request whose key had begun `reference`, and which was not answered, or not for good. It is told how that operation
 * stands. One that never reached the provider is begun again: a new row, for which the key stands from now on.
 */
export async function resumeOperation(
  tx: Tx,
  deps: Deps,
  reference: string | null,
  operationId: string,
  { caller, done, plan }: Intent,
): Promise<Begun> {
  const transactionId = reference === null ? null : await transactionIdOf(tx, caller.tenantId, reference)
  const account = transactionId === null ? null : await lockAccount(tx, caller.tenantId, transactionId)
  if (reference === null || account === null) throw new Error('an idempotency key stands for no operation')
  const now = deps.now()
  const operation = standingFor(account, reference)
  if (isLeased(operation, now)) throw new Problem(commonProblems.idempotency_key_in_use, { retryAfterSeconds: 1 })
  if (operation.state === 'not_attempted' && operation.stage !== 'capture') {
    await rebind(tx, caller, operationId)
    return startOperation(tx, deps, account, { ...plan(account), id: operationId, traceId: caller.traceId })
  }
  if (caller.idempotency !== null) caller.idempotency.replayed = true
  return { kind: 'answered', stored: answerOf(account, operation, done, now) }
}

/** Writes the operation and its lease; the account must be locked. */
export async function startOperation(
  tx: Tx,
  deps: Deps,
  { transaction, operations }: Account,
  plan: OperationPlan & { id: string; traceId: string },
): Promise<Extract<Begun, { kind: 'started' }>> {
  const now = deps.now()
  const operation = inProgress(plan, { transaction, operations }, now)
  const started = { ...transaction, version: transaction.version + 1, updatedAt: now }
  await insertOperation(tx, transaction.tenantId, operation)
  await updateTransaction(tx, transaction.tenantId, started, amountsOf(operations))
  return { kind: 'started', account: { transaction: started, operations: [...operations, operation] }, operation }
}

export function inProgress(
  plan: OperationPlan & { id: string; traceId: string },
  { transaction, operations }: Account,
  now: Date,
): Operation {
  return {
    id: plan.id,
    tenantId: transaction.tenantId,
    transactionId: transaction.id,
    number: operations.length + 1,
    type: plan.type,
    state: 'in_progress',
    amount: plan.amount,
    amountReleased: plan.amountReleased ?? 0,
    stage: plan.stage ?? null,
    reason: plan.reason ?? null,
    items: plan.items ?? null,
    providerReference: null,
    error: null,
    attemptCount: 1,
    dueAt: leaseUntil(now),
    traceId: plan.traceId,
    createdAt: now,
    completedAt: null,
  }
}

export function leaseUntil(now: Date): Date {
  return new Date(now.getTime() + leaseMs)
}

/** The operation that tells how a request stands: the one it began, or the capture that followed it. */
export function standingFor({ operations }: Account, operationId: string): Operation {
  const begun = operations.find(({ id }) => id === operationId)
  if (begun === undefined) throw new Error(`operation ${operationId} is not of this transaction`)
  if (begun.stage !== 'authorize' || begun.state !== 'succeeded') return begun
  return operations.find(({ number }) => number === begun.number + 1) ?? begun
}

/** Keeps the answer for replays, where it is one to keep. */
export async function rememberAnswer(tx: Tx, caller: Caller, operation: Operation, stored: Stored): Promise<void> {
  if (isRemembered(operation)) await finish(tx, caller, stored)
}

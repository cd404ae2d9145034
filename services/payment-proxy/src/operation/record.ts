import { newId } from '@payments/chassis/id'
import { paymentProxy } from '@payments/contracts/payment-proxy'
import { emit } from '@payments/messaging/outbox'
import type { Deps } from '../deps.ts'
import { eventOf, isInFlight, type Operation, presentOperation } from '../domain/operation.ts'
import { afterOutcome, type Outcome } from '../domain/outcome.ts'
import { amountsOf } from '../domain/status.ts'
import { type Account, snapshotOf } from '../domain/transaction.ts'
import { lockAccount } from '../store/accounts.ts'
import type { Tx } from '../store/database.ts'
import { insertOperation, updateOperation } from '../store/operations.ts'
import { updateTransaction } from '../store/transactions.ts'
import { inProgress, standingFor } from './begin.ts'

const authorizationDays = 7
const dayMs = 24 * 60 * 60 * 1000

export interface Recorded {
  readonly account: Account
  /** How the request stands that began it. */
  readonly operation: Operation
  /** The capture that follows an authorization at once, in progress and leased to us. */
  readonly next: Operation | null
}

/**
 * The third step: what the provider said becomes true, together with the amounts, the version and the event. Whoever comes
 * second, with an answer or from the sweeper, changes nothing and is told how the operation stands.
 */
export async function recordOutcome(tx: Tx, deps: Deps, asked: Operation, outcome: Outcome): Promise<Recorded> {
  const { tenantId, transactionId, id } = asked
  const account = await lockAccount(tx, tenantId, transactionId)
  const before = account?.operations.find((operation) => operation.id === id)
  if (account === null || before === undefined) throw new Error(`operation ${id} has vanished`)
  if (!isInFlight(before)) return { account, operation: standingFor(account, id), next: null }
  const now = deps.now()
  const after = afterOutcome(before, outcome, now)
  if (!(await updateOperation(tx, tenantId, after))) throw new Error(`operation ${id} changed under its lock`)
  const next = followUp(account, after, now)
  if (next !== null) await insertOperation(tx, tenantId, next)
  const operations = account.operations.map((operation) => (operation.id === id ? after : operation))
  const changed: Account = {
    transaction: after.state === before.state ? account.transaction : transactionAfter(account, after, outcome, now),
    operations: next === null ? operations : [...operations, next],
  }
  if (changed.transaction !== account.transaction) {
    await updateTransaction(tx, tenantId, changed.transaction, amountsOf(changed.operations))
  }
  if (!isInFlight(after)) await tell(tx, changed, after, now)
  return { account: changed, operation: next ?? after, next }
}

function followUp(account: Account, operation: Operation, now: Date): Operation | null {
  if (operation.stage !== 'authorize' || operation.state !== 'succeeded') return null
  const { amount, traceId } = operation
  return inProgress({ type: 'capture', amount, stage: 'capture', id: newId(), traceId }, account, now)
}

function transactionAfter({ transaction }: Account, operation: Operation, outcome: Outcome, now: Date) {
  const changed = { ...transaction, version: transaction.version + 1, updatedAt: now }
  if (operation.type !== 'authorize' || outcome.kind !== 'succeeded') return changed
  return {
    ...changed,
    paymentMethod: outcome.paymentMethod ?? transaction.paymentMethod,
    authorizationExpiresAt: new Date(now.getTime() + authorizationDays * dayMs),
  }
}

async function tell(tx: Tx, account: Account, operation: Operation, now: Date): Promise<void> {
  const type = eventOf(operation)
  if (type === null) return
  const { tenantId, businessUnitId, version } = account.transaction
  const payload = { transaction: snapshotOf(account, now), operation: presentOperation(operation, now), version }
  await emit(tx, paymentProxy.events, { type, tenantId, businessUnitId, traceId: operation.traceId, payload })
}

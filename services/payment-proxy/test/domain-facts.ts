import { Problem } from '@payments/contracts/grammar/problem'
import type { Operation } from '../src/domain/operation.ts'
import type { Transaction, TransactionAggregate } from '../src/domain/transaction.ts'

/** Facts for tests of the domain, without a database. */

/** The code of the problem that `work` throws, with the pointers of its errors. Null without one. */
export function catchProblem(work: () => unknown): [string, ...string[]] | null {
  try {
    work()
    return null
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return [error.code, ...(error.options.errors ?? []).map(({ pointer }) => pointer)]
  }
}

export const operation = (type: Operation['type'], amount: number, changes: Partial<Operation> = {}): Operation =>
  ({
    type,
    amount,
    state: 'succeeded',
    amountReleased: 0,
    items: null,
    stage: null,
    actor: 'platform',
    action: null,
    pendingReportedAt: null,
    authentication: null,
    voidRequest: null,
    ...changes,
  }) as Operation

export function aggregate(operations: Operation[], changes: Partial<Transaction> = {}): TransactionAggregate {
  const transaction = { amount: 100, currency: 'EUR', items: [], authorizationExpiresAt: null, ...changes }
  return { transaction: transaction as unknown as Transaction, operations }
}

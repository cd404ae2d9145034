import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import type { Operation } from './operation.ts'

export type Status = TransactionReply['status']

/** Minor units. 0 ≤ refunded ≤ captured, and captured + voided ≤ authorized. */
export interface Amounts {
  readonly authorized: number
  readonly captured: number
  readonly voided: number
  readonly refunded: number
}

type CountedOperation = Pick<Operation, 'type' | 'state' | 'amount' | 'amountReleased'>

/** Sums of the succeeded operations. The columns of a transaction store these sums for queries. */
export function sumAmounts(operations: readonly CountedOperation[]): Amounts {
  let [authorized, captured, voided, refunded] = [0, 0, 0, 0]
  for (const { type, state, amount, amountReleased } of operations) {
    if (state !== 'succeeded') continue
    voided += amountReleased
    if (type === 'authorize') authorized += amount
    else if (type === 'capture') captured += amount
    else if (type === 'void') voided += amount
    else refunded += amount
  }
  return { authorized, captured, voided, refunded }
}

export function capturableAmount({ authorized, captured, voided }: Amounts): number {
  return authorized - captured - voided
}

export function refundableAmount({ captured, refunded }: Amounts): number {
  return captured - refunded
}

/** The status of a transaction is a function of its operations, oldest first. No code sets it. */
export function deriveStatus(operations: readonly CountedOperation[]): Status {
  const { authorized, captured, voided, refunded } = sumAmounts(operations)
  if (refunded > 0) return refunded === captured && captured + voided === authorized ? 'refunded' : 'partially_refunded'
  if (captured > 0) return captured < authorized - voided ? 'partially_captured' : 'captured'
  if (authorized > 0) return voided === authorized ? 'voided' : 'authorized'
  if (isVoided(operations)) return 'voided'
  const last = operations.findLast(({ type }) => type === 'authorize')
  return last?.state === 'declined' ? 'failed' : 'pending'
}

/** Whether a void succeeded. Without an authorization, the void cancelled the transaction. */
export function isVoided(operations: readonly CountedOperation[]): boolean {
  return operations.some(({ type, state }) => type === 'void' && state === 'succeeded')
}

import { commonProblems, type FieldError, Problem } from '@payments/contracts/grammar/problem'
import { amountMax } from '@payments/contracts/nouns/transaction'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import type { Operation, RefundItem } from './operation.ts'
import type { Item, TransactionAggregate } from './transaction.ts'

const itemsPointer = '/transaction/transaction_items'

/** Amount of a new transaction, in minor units. Throws invalid_request, amount_mismatch. */
export function totalAmount(amount: number | undefined, items: readonly Item[]): number {
  rejectRepeatedIds(items)
  if (items.length === 0) {
    if (amount === undefined) throw malformed('/amount', 'is required without transaction_items')
    return amount
  }
  const sum = sumLines(items)
  if (sum < 1n || sum > BigInt(amountMax)) throw malformed(itemsPointer, `must add up to 1 to ${amountMax}`)
  requireSum(amount, sum)
  return Number(sum)
}

/**
 * Amount of a refund by items, in minor units. The refunded quantity of an item is at most its bought quantity.
 * Throws unknown_transaction_item.
 */
export function refundAmount(aggregate: TransactionAggregate, refunded: readonly RefundItem[]): number {
  const left = quantitiesLeft(aggregate)
  const errors: FieldError[] = []
  for (const [index, { id, quantity }] of refunded.entries()) {
    const quantityLeft = left.get(id)
    if (quantityLeft === undefined)
      errors.push({ pointer: `/items/${index}/id`, detail: 'is not an item of the transaction' })
    else if (quantity > quantityLeft) {
      errors.push({ pointer: `/items/${index}/quantity`, detail: `must be at most ${quantityLeft}` })
    } else left.set(id, quantityLeft - quantity)
  }
  if (errors.length > 0) throw new Problem(problems.unknown_transaction_item, { errors })
  const prices = new Map(aggregate.transaction.items.map((item) => [item.id, item.unit_amount]))
  const sum = sumLines(refunded.map(({ id, quantity }) => ({ unit_amount: prices.get(id) ?? 0, quantity })))
  if (sum < 1n) throw malformed('/items', 'must add up to at least 1')
  return Number(sum)
}

/** Throws amount_mismatch when the request has another amount than its items. */
function requireSum(amount: number | undefined, sum: bigint): void {
  if (amount === undefined || BigInt(amount) === sum) return
  const detail = `The items add up to ${sum}, the request has ${amount}`
  throw new Problem(problems.amount_mismatch, { detail, errors: [{ pointer: '/amount', detail: `must be ${sum}` }] })
}

function quantitiesLeft({ transaction, operations }: TransactionAggregate): Map<string, number> {
  const left = new Map<string, number>()
  for (const { id, quantity } of transaction.items) if (id !== undefined) left.set(id, quantity)
  for (const { id, quantity } of operations.filter(isRefunded).flatMap(({ items }) => items ?? [])) {
    left.set(id, (left.get(id) ?? 0) - quantity)
  }
  return left
}

function isRefunded(operation: Operation): boolean {
  return operation.type === 'refund' && operation.state === 'succeeded'
}

/** The sum can exceed 2^53, so it is a bigint. */
function sumLines(lines: readonly { unit_amount: number; quantity: number }[]): bigint {
  return lines.reduce((sum, line) => sum + BigInt(line.unit_amount) * BigInt(line.quantity), 0n)
}

function rejectRepeatedIds(items: readonly Item[]): void {
  const seen = new Set<string>()
  for (const [index, { id }] of items.entries()) {
    if (id === undefined) continue
    if (seen.has(id)) throw malformed(`${itemsPointer}/${index}/id`, 'must be unique in the transaction')
    seen.add(id)
  }
}

function malformed(pointer: string, detail: string): Problem {
  return new Problem(commonProblems.invalid_request, { detail: `${pointer} ${detail}`, errors: [{ pointer, detail }] })
}

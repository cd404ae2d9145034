import { describe, expect, test } from '@jest/globals'
import { amountMax } from '@payments/contracts/nouns/transaction'
import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import { requireActive, type UnitCopy } from '@payments/contracts/services/business-unit/unit-copy'
import { refundAmount, totalAmount } from '../src/domain/item.ts'
import { chooseCurrency, usableOrchestrator } from '../src/domain/payment-orchestrator.ts'
import type { Item } from '../src/domain/transaction.ts'
import { aggregate, catchProblem, operation } from './domain-facts.ts'

/** The rules of items and payment orchestrators at their bounds. */
describe('items', () => {
  const item = (unit_amount: number, quantity = 1, id?: string): Item => ({
    name: 'Cup',
    unit_amount,
    quantity,
    ...(id === undefined ? {} : { id }),
  })

  test.each<[string, number | undefined, Item[], number | string[]]>([
    ['the amount without items', 5, [], 5],
    ['the sum of the items', undefined, [item(5, 3), item(1)], 16],
    ['the sum that the amount equals', 16, [item(5, 3), item(1)], 16],
    ['the greatest sum', undefined, [item(amountMax)], amountMax],
    ['a free item beside another', undefined, [item(0), item(1)], 1],
    ['items without ids', undefined, [item(1), item(1)], 2],
    ['neither amount nor items', undefined, [], ['invalid_request', '/amount']],
    ['free items only', undefined, [item(0)], ['invalid_request', '/transaction/transaction_items']],
    [
      'more than the greatest sum',
      undefined,
      [item(amountMax), item(1)],
      ['invalid_request', '/transaction/transaction_items'],
    ],
    ['another amount than the sum', 17, [item(5, 3), item(1)], ['amount_mismatch', '/amount']],
    [
      'one id twice',
      undefined,
      [item(1, 1, 'a'), item(1), item(1, 1, 'a')],
      ['invalid_request', '/transaction/transaction_items/2/id'],
    ],
  ])('%s', (_case, amount, items, expected) => {
    if (typeof expected === 'number') expect(totalAmount(amount, items)).toBe(expected)
    else expect(catchProblem(() => totalAmount(amount, items))).toEqual(expected)
  })

  const bought = aggregate(
    [
      operation('refund', 10, { items: [{ id: 'a', quantity: 1 }] }),
      operation('refund', 10, { items: [{ id: 'a', quantity: 1 }], state: 'declined' }),
      operation('refund', 1),
    ],
    { items: [item(10, 3, 'a'), item(0, 1, 'free'), item(1, 1, 'one'), item(5)] },
  )
  test.each<[string, { id: string; quantity: number }[], number | string[]]>([
    ['what is left of an item', [{ id: 'a', quantity: 2 }], 20],
    [
      'what is left, in two lines',
      [
        { id: 'a', quantity: 1 },
        { id: 'a', quantity: 1 },
      ],
      20,
    ],
    ['the smallest amount', [{ id: 'one', quantity: 1 }], 1],
    ['one more than is left', [{ id: 'a', quantity: 3 }], ['unknown_transaction_item', '/items/0/quantity']],
    [
      'one more, in two lines',
      [
        { id: 'a', quantity: 2 },
        { id: 'a', quantity: 1 },
      ],
      ['unknown_transaction_item', '/items/1/quantity'],
    ],
    ['an unknown item', [{ id: 'b', quantity: 1 }], ['unknown_transaction_item', '/items/0/id']],
    ['a free item', [{ id: 'free', quantity: 1 }], ['invalid_request', '/items']],
  ])('a refund of %s', (_case, items, expected) => {
    if (typeof expected === 'number') expect(refundAmount(bought, items)).toBe(expected)
    else expect(catchProblem(() => refundAmount(bought, items))).toEqual(expected)
  })
})

describe('payment orchestrators', () => {
  const orchestrator = (id: string, changes: Partial<PaymentOrchestrator> = {}) =>
    ({
      id,
      status: 'active',
      is_default: false,
      currencies: null,
      payment_methods: null,
      ...changes,
    }) as PaymentOrchestrator
  const unit = (paymentOrchestrators: PaymentOrchestrator[], changes: object = {}) =>
    ({
      businessUnit: { status: 'active', default_currency: null, ...changes },
      paymentOrchestrators,
    }) as unknown as UnitCopy
  const limited = unit([
    orchestrator('first'),
    orchestrator('default', { is_default: true, currencies: ['EUR'], payment_methods: ['ACH'] }),
    orchestrator('inactive', { status: 'inactive' }),
    orchestrator('deleted', { status: 'deleted' }),
  ])
  const requested = { paymentOrchestratorId: undefined, currency: 'EUR', paymentMethod: 'ACH' as const }
  const now = new Date('2026-01-01T00:00:00Z')
  const payment = { ...requested, acceptsTestMode: true, now }

  test.each([
    ['the default', {}, 'default'],
    ['before a payment method is known', { paymentMethod: undefined }, 'default'],
    ['by id', { paymentOrchestratorId: 'default' }, 'default'],
    ['another currency', { currency: 'USD' }, ['payment_orchestrator_unusable']],
    ['another payment method', { paymentMethod: 'CREDIT_CARD' as const }, ['payment_orchestrator_unusable']],
    ['an inactive one', { paymentOrchestratorId: 'inactive' }, ['payment_orchestrator_unusable']],
    ['a deleted one', { paymentOrchestratorId: 'deleted' }, ['payment_orchestrator_unusable']],
    ['an unknown one', { paymentOrchestratorId: 'other' }, ['payment_orchestrator_unusable']],
  ])('%s', (_case, changes, expected) => {
    const find = () => usableOrchestrator(limited, { ...payment, ...changes })
    if (typeof expected === 'string') expect(find().id).toBe(expected)
    else expect(catchProblem(find)).toEqual(expected)
  })

  test('a deleted default is none, and without a default an id is required', () => {
    const without = unit([orchestrator('gone', { is_default: true, status: 'deleted' })])
    expect(catchProblem(() => usableOrchestrator(without, payment))).toEqual(['payment_orchestrator_unusable'])
  })

  test('an orchestrator without limits accepts every currency and payment method', () => {
    const open = unit([orchestrator('open', { is_default: true })])
    expect(usableOrchestrator(open, { ...payment, currency: 'KWD' }).id).toBe('open')
  })

  test('a currency is the requested one, the default of the unit, or required', () => {
    expect(chooseCurrency(unit([], { default_currency: 'USD' }), 'EUR', now)).toBe('EUR')
    expect(chooseCurrency(unit([], { default_currency: 'USD' }), undefined, now)).toBe('USD')
    expect(catchProblem(() => chooseCurrency(unit([]), undefined, now))).toEqual(['invalid_request', '/currency'])
  })

  test('a currency that has ended is none of a new payment, requested or by default', () => {
    const lastDay = new Date('2025-12-31T12:00:00Z')
    const open = unit([orchestrator('open', { is_default: true })], { default_currency: 'BGN' })
    for (const requested of ['BGN', undefined]) {
      expect(chooseCurrency(open, requested, lastDay)).toBe('BGN')
      expect(catchProblem(() => chooseCurrency(open, requested, now))).toEqual(['invalid_request', '/currency'])
    }
    const inLev = { ...payment, currency: 'BGN' }
    expect(usableOrchestrator(open, { ...inLev, now: lastDay }).id).toBe('open')
    expect(catchProblem(() => usableOrchestrator(open, inLev))).toEqual(['payment_orchestrator_unusable'])
  })

  test('only an active unit takes authorizations', () => {
    expect(catchProblem(() => requireActive(unit([])))).toBeNull()
    expect(catchProblem(() => requireActive(unit([], { status: 'deleted' })))).toEqual(['business_unit_deleted'])
  })
})

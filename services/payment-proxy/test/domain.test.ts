import { describe, expect, test } from '@jest/globals'
import { formatAmount, isCurrency } from '@payments/contracts/grammar/currency'
import fc from 'fast-check'
import type { Operation, OperationState, OperationType } from '../src/domain/operation.ts'
import { capturableAmount, deriveStatus, type Status, sumAmounts } from '../src/domain/status.ts'

type Fact = Pick<Operation, 'type' | 'state' | 'amount' | 'amountReleased'>
const fact = (type: OperationType, amount: number, state: OperationState = 'succeeded', amountReleased = 0): Fact => ({
  type,
  state,
  amount,
  amountReleased,
})
const a = (amount: number, state?: OperationState) => fact('authorize', amount, state)
const c = (amount: number, state?: OperationState) => fact('capture', amount, state)
const v = (amount: number, state?: OperationState) => fact('void', amount, state)
const r = (amount: number, state?: OperationState) => fact('refund', amount, state)

describe('status', () => {
  const cases: [string, Fact[], Status][] = [
    ['nothing', [], 'pending'],
    ['an authorization in progress', [a(9, 'in_progress')], 'pending'],
    ['an authorization that never reached the provider', [a(9, 'not_attempted')], 'pending'],
    ['a declined authorization', [a(9, 'declined')], 'failed'],
    ['a declined authorization, then one in progress', [a(9, 'declined'), a(9, 'unknown')], 'pending'],
    ['an authorization', [a(9, 'declined'), a(9)], 'authorized'],
    ['a declined capture', [a(9), c(9, 'declined')], 'authorized'],
    ['a capture of a part', [a(9), c(4)], 'partially_captured'],
    ['a capture of all', [a(9), c(9)], 'captured'],
    ['a capture of a part, the rest voided', [a(9), c(4), v(5)], 'captured'],
    ['a final capture of a part', [a(9), fact('capture', 4, 'succeeded', 5)], 'captured'],
    ['a void', [a(9), v(9)], 'voided'],
    ['a void before an authorization', [v(0)], 'voided'],
    ['a declined void before an authorization', [v(0, 'declined')], 'pending'],
    ['a void after a declined authorization', [a(9, 'declined'), v(0)], 'voided'],
    ['a refund of a part', [a(9), c(9), r(4)], 'partially_refunded'],
    ['a refund of all that was captured, with more to capture', [a(9), c(4), r(4)], 'partially_refunded'],
    ['a refund of all', [a(9), c(9), r(4), r(5)], 'refunded'],
    ['a refund of all, the rest voided', [a(9), c(4), v(5), r(4)], 'refunded'],
    ['a reversed refund', [a(9), c(9), r(9, 'reversed')], 'captured'],
    ['a refund with an unknown outcome', [a(9), c(9), r(9, 'unknown')], 'captured'],
  ]
  test.each(cases)('%s', (_case, operations, status) => {
    expect(deriveStatus(operations)).toBe(status)
  })

  const anyFact = fc.record({
    type: fc.constantFrom<OperationType>('authorize', 'capture', 'void', 'refund'),
    state: fc.constantFrom<OperationState>(
      'in_progress',
      'succeeded',
      'declined',
      'pending',
      'not_attempted',
      'unknown',
      'reversed',
    ),
    amount: fc.integer({ min: 0, max: 100 }),
    amountReleased: fc.constantFrom(0, 0, 5),
  })

  test('only succeeded operations change an amount, in any order', () => {
    fc.assert(
      fc.property(fc.array(anyFact), (operations) => {
        const succeeded = operations.filter(({ state }) => state === 'succeeded')
        expect(sumAmounts(operations)).toEqual(sumAmounts(succeeded.toReversed()))
      }),
    )
  })

  /** Limits each operation to the amount that a transaction allows, so that any list becomes a valid history. */
  const validHistory = (requested: readonly Fact[]): Fact[] => {
    const history: Fact[] = []
    for (const one of requested) {
      const amounts = sumAmounts(history)
      const left = {
        authorize: amounts.authorized === 0 ? 100 : 0,
        capture: capturableAmount(amounts),
        void: capturableAmount(amounts),
        refund: amounts.captured - amounts.refunded,
      }[one.type]
      const amount = one.type === 'void' || one.type === 'authorize' ? left : Math.min(one.amount, left)
      const amountReleased = one.type === 'capture' && one.amountReleased > 0 ? left - amount : 0
      if (amount > 0) history.push({ ...one, amount, amountReleased })
    }
    return history
  }

  test('in every valid history, the amounts are in bounds and agree with the status', () => {
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 30 }), (requested) => {
        const history = validHistory(requested)
        const { authorized, captured, voided, refunded } = sumAmounts(history)
        expect(Math.min(captured, voided, refunded)).toBeGreaterThanOrEqual(0)
        expect(captured + voided).toBeLessThanOrEqual(authorized)
        expect(refunded).toBeLessThanOrEqual(captured)
        const status = deriveStatus(history)
        expect(['authorized', 'pending', 'failed', 'voided'].includes(status)).toBe(captured === 0)
        expect(status.endsWith('refunded')).toBe(refunded > 0)
        if (status === 'refunded') expect([captured, authorized]).toEqual([refunded, captured + voided])
        if (status === 'captured') expect(captured + voided).toBe(authorized)
      }),
      { numRuns: 500 },
    )
  })
})

describe('currency', () => {
  test.each([
    ['JPY', 1999, '1999 JPY'],
    ['EUR', 1999, '19.99 EUR'],
    ['EUR', 5, '0.05 EUR'],
    ['KWD', 1999, '1.999 KWD'],
    ['CLF', 1999, '0.1999 CLF'],
  ])('%s has its own minor unit', (currency, amount, shown) => {
    expect(formatAmount(amount, currency)).toBe(shown)
  })

  test('accepts only ISO 4217 codes in circulation', () => {
    expect(['EUR', 'USD', 'XAF', 'UYW'].every(isCurrency)).toBe(true)
    expect(['XTS', 'DEM', 'eur', '', 'constructor'].some(isCurrency)).toBe(false)
  })
})

import { describe, expect, test } from '@jest/globals'
import type { RecordedOperation, ReportedOperation } from '@payments/contracts/payment-proxy-operators'
import { differencesOf } from '../src/reconciliation.ts'

const day = Date.parse('2026-11-21T00:00:00.000Z')
const period = { from: day, to: day + 86_400_000 }
const at = '2026-11-21T12:00:00.000Z'
const before = '2026-11-20T23:59:59.999Z'
const id = (last: number) => `0191e4a2-0000-7d11-8c55-91b6e0a7c00${last}`

const shared = {
  payment_orchestrator_id: id(1),
  operation_id: id(2),
  provider_reference: 'pi_1',
  type: 'authorize',
  amount: 1999,
  currency: 'EUR',
} as const
const recorded: RecordedOperation = { ...shared, transaction_id: id(3), state: 'succeeded', created_at: at }
const reported: ReportedOperation = { ...shared, state: 'succeeded', received_at: at }
const kinds = (ours: RecordedOperation[], theirs: ReportedOperation[], unreported: string[] = []) =>
  differencesOf(ours, theirs, period, unreported).map(({ kind }) => kind)

describe('differencesOf', () => {
  test('finds none where both sides agree, by our id or by the reference of the provider', () => {
    expect(kinds([recorded], [reported])).toEqual([])
    expect(kinds([recorded], [{ ...reported, operation_id: null }])).toEqual([])
    expect(kinds([{ ...recorded, provider_reference: null }], [reported])).toEqual([])
  })

  test('finds money that only one side knows', () => {
    expect(kinds([recorded], [])).toEqual(['not_reported'])
    expect(kinds([{ ...recorded, state: 'reversed' }], [])).toEqual(['not_reported'])
    expect(kinds([], [reported])).toEqual(['not_recorded'])
  })

  test('finds another amount, currency or state', () => {
    expect(kinds([recorded], [{ ...reported, amount: 1998 }])).toEqual(['amount'])
    expect(kinds([recorded], [{ ...reported, currency: 'USD' }])).toEqual(['amount'])
    expect(kinds([recorded], [{ ...reported, state: 'declined' }])).toEqual(['state'])
    expect(kinds([{ ...recorded, state: 'not_attempted' }], [reported])).toEqual(['state'])
    expect(kinds([{ ...recorded, state: 'reversed' }], [reported])).toEqual(['state'])
    expect(kinds([{ ...recorded, state: 'reversed' }], [{ ...reported, state: 'declined' }])).toEqual([])
  })

  test.each(['in_progress', 'pending', 'unknown'] as const)('finds none in an operation that is %s', (state) => {
    expect(kinds([{ ...recorded, state }], [reported])).toEqual([])
    expect(kinds([{ ...recorded, state }], [])).toEqual([])
  })

  test('finds none in what took no effect and is not reported', () => {
    expect(kinds([{ ...recorded, state: 'declined' }], [])).toEqual([])
    expect(kinds([{ ...recorded, state: 'not_attempted' }], [])).toEqual([])
  })

  test('says the amounts in the unit that people use', () => {
    const details = (amount: number, currency: string) =>
      differencesOf([{ ...recorded, currency }], [{ ...reported, amount, currency }], period, []).map(
        (one) => one.detail,
      )
    expect(details(1998, 'EUR')).toEqual(['19.99 EUR in our books, 19.98 EUR at the provider'])
    expect(details(1998, 'JPY')).toEqual(['1999 JPY in our books, 1998 JPY at the provider'])
    expect(differencesOf([], [{ ...reported, currency: 'BONUS' }], period, [])[0]?.detail).toContain(
      'of 1999 minor units of BONUS that',
    )
  })

  test('counts the records of the period only, and finds their counterparts outside of it', () => {
    expect(kinds([{ ...recorded, created_at: before }], [])).toEqual([])
    expect(kinds([], [{ ...reported, received_at: before }])).toEqual([])
    expect(kinds([{ ...recorded, created_at: before }], [reported])).toEqual([])
    expect(kinds([], [{ ...reported, received_at: '2026-11-22T00:00:00.000Z' }])).toEqual([])
  })

  test('does not compare the operations of a payment orchestrator without reports', () => {
    expect(kinds([recorded], [], [id(1)])).toEqual([])
  })
})

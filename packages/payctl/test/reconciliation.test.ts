import { describe, expect, test } from '@jest/globals'
import type {
  NotCompared,
  RecordedOperation,
  ReportedOperation,
} from '@payments/contracts/services/payment-proxy/operators'
import { compareOperations } from '../src/reconciliation.ts'

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
const compare = (ours: RecordedOperation[], theirs: ReportedOperation[], kind?: NotCompared['kind']) => {
  const notCompared = new Map<string, NotCompared>()
  if (kind !== undefined) notCompared.set(id(1), { payment_orchestrator_id: id(1), kind, reason: 'none' })
  return compareOperations(ours, theirs, period, { notCompared, now: day + 86_400_000 })
}
const kinds = (ours: RecordedOperation[], theirs: ReportedOperation[]) =>
  compare(ours, theirs).differences.map(({ kind }) => kind)

describe('compared', () => {
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

  describe.each(['in_progress', 'pending', 'unknown'] as const)('in an operation that is %s', (state) => {
    const open = { ...recorded, state }
    const older = { ...open, created_at: '2026-11-21T00:00:00.000Z' }

    test('finds none for a day, and counts it as open', () => {
      for (const theirs of [[], [reported], [{ ...reported, state: 'pending' as const }]]) {
        expect(compare([open], theirs)).toEqual({ differences: [], open: 1, failed: 0 })
      }
    })

    test('finds another amount or currency at once', () => {
      expect(kinds([open], [{ ...reported, amount: 1998 }])).toEqual(['amount'])
      expect(kinds([open], [{ ...reported, currency: 'USD' }])).toEqual(['amount'])
      expect(compare([open], [{ ...reported, amount: 1998 }]).open).toBe(0)
    })

    test('finds it open after a day', () => {
      expect(kinds([older], [reported])).toEqual(['open'])
      expect(compare([older], [])).toMatchObject({ differences: [{ kind: 'open' }], open: 0 })
    })
  })

  test('finds none in what took no effect and is not reported', () => {
    expect(kinds([{ ...recorded, state: 'declined' }], [])).toEqual([])
    expect(kinds([{ ...recorded, state: 'not_attempted' }], [])).toEqual([])
  })

  test('says the amounts in the unit of the currency', () => {
    const details = (amount: number, currency: string) =>
      compare([{ ...recorded, currency }], [{ ...reported, amount, currency }]).differences.map((one) => one.detail)
    expect(details(1998, 'EUR')).toEqual(['19.99 EUR in our books, 19.98 EUR at the provider'])
    expect(details(1998, 'JPY')).toEqual(['1999 JPY in our books, 1998 JPY at the provider'])
    expect(compare([], [{ ...reported, currency: 'BONUS' }]).differences[0]?.detail).toContain(
      'of 1999 minor units of BONUS that',
    )
  })

  test('counts the records of the period only, and finds their counterparts outside of it', () => {
    expect(kinds([{ ...recorded, created_at: before }], [])).toEqual([])
    expect(kinds([], [{ ...reported, received_at: before }])).toEqual([])
    expect(kinds([{ ...recorded, created_at: before }], [reported])).toEqual([])
    expect(kinds([], [{ ...reported, received_at: '2026-11-22T00:00:00.000Z' }])).toEqual([])
  })

  test('does not compare the operations of a payment orchestrator without a report, and counts failed ones', () => {
    expect(compare([recorded], [], 'unsupported')).toEqual({ differences: [], open: 0, failed: 0 })
    expect(compare([recorded, { ...recorded, created_at: before }], [], 'failed')).toEqual({
      differences: [],
      open: 0,
      failed: 1,
    })
  })

  test('finds the differences of the others meanwhile', () => {
    const other = { ...recorded, payment_orchestrator_id: id(4), operation_id: id(5), provider_reference: 'pi_2' }
    expect(compare([recorded, other], [], 'failed')).toMatchObject({
      differences: [{ operation_id: id(5) }],
      failed: 1,
    })
  })
})

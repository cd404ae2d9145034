import { createSecretKey } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { AuditRecord, Seal } from '@payments/contracts/services/audit/contract'
import { findRejection } from '../src/domain/acceptance.ts'
import { chainStart, checkRecords, checkSeal, digestRecords, hashSeal, isPlausible } from '../src/domain/chain.ts'
import { firstRetainedDay } from '../src/domain/seal.ts'

const id = (last: number) => `0191e4a2-0000-7d11-8c55-91b6e0a7c0${last}`

const record: AuditRecord = {
  id: id(10),
  occurred_at: '2026-01-31T10:00:00.000Z',
  trace_id: id(11),
  tenant_id: id(12),
  actor: { type: 'api_key', id: id(13) },
  client: null,
  method: 'GET',
  path: '/v1/api-key/keys',
  operation: 'listKeys',
  permission: 'apikey:ReadKey',
  outcome: 'success',
  status: 200,
  code: null,
  ip: '127.0.0.1',
  user_agent: 'curl',
  duration_ms: 1.5,
  client_gone: false,
  count: 1,
}

const keys = new Map([['first', createSecretKey(Buffer.alloc(32, 7))]])
const unsealed: Omit<Seal, 'hash'> = {
  version: 2,
  key_id: 'first',
  tenant_id: id(12),
  sequence: 2,
  from_position: 5,
  to_position: 8,
  stored_on: '2026-01-31',
  digest: 'd',
  previous_hash: 'p',
  sealed_at: '2026-01-31T10:00:05.000Z',
}

/** Computed by another program: stored seals stay valid only while the code computes these values. */
describe('the form of sealed data never changes:', () => {
  test('the digest of records', () => {
    expect(digestRecords([{ position: 7, record }])).toBe(
      '1321dea3595b4ff91ff832af94a10ca6b199f1bc3ef1fed5afb5b46ec9fb670f',
    )
  })

  test('the digest of a record with a client', () => {
    expect(digestRecords([{ position: 7, record: { ...record, client: 'console' } }])).toBe(
      '8c59fc5fd04f3400c5876e56ac4d0f7cc09e2c7d57a9f676c5d5283567de4729',
    )
  })

  test('the hash of a seal', () => {
    expect(hashSeal(unsealed, keys)).toBe('dbee6dabe3fb1a7533d2f167023e8d3017b1d0d5b3abeabc90a629e64d4d48a9')
  })
})

test('a chain starts from 64 zeros', () => {
  expect(chainStart.hash).toBe('0000000000000000000000000000000000000000000000000000000000000000')
})

test('a seal has 1 to 5 000 records', () => {
  const isAccepted = (from: number, to: number) =>
    isPlausible({ ...unsealed, from_position: from, to_position: to, hash: '' })
  expect([isAccepted(7, 6), isAccepted(7, 7), isAccepted(7, 5_006), isAccepted(7, 5_007)]).toEqual([
    false,
    true,
    true,
    false,
  ])
})

test('finds a seal of another version', () => {
  const first = { ...unsealed, sequence: 1, from_position: 1, previous_hash: chainStart.hash }
  const checkFirstSeal = (fields: typeof first) =>
    checkSeal(chainStart, { ...fields, hash: hashSeal(fields, keys) ?? '' }, keys)
  expect(checkFirstSeal(first)).toBeUndefined()
  const detail = 'its version 1 is unknown'
  expect(checkFirstSeal({ ...first, version: 1 })).toEqual({ sequence: 1, kind: 'seal_rewritten', detail })
})

describe('checkRecords', () => {
  const missing = (count: number) => checkRecords({ ...unsealed, from_position: 1, to_position: count, hash: '' }, [])

  test('names ten positions, and counts the others', () => {
    const ten = 'no record exists at positions 1, 2, 3, 4, 5, 6, 7, 8, 9, 10'
    expect(missing(10)).toEqual({ sequence: 2, kind: 'record_removed', detail: ten })
    expect(missing(11)?.detail).toBe(`${ten} and 1 more`)
    expect(missing(14)?.detail).toBe(`${ten} and 4 more`)
  })
})

test.each([
  ['2026-03-31T00:00:00.000Z', 30, '2026-03-01'],
  ['2026-03-31T23:59:59.999Z', 30, '2026-03-01'],
  ['2026-01-01T00:00:00.000Z', 7, '2025-12-25'],
])('at %s, %i days of retention begin on %s', (now, retentionDays, day) => {
  expect(firstRetainedDay(new Date(now), retentionDays)).toBe(day)
})

describe('a record is out of period', () => {
  const dayMs = 86_400_000
  const at = (ageMs: number, retentionDays = 30) =>
    findRejection(record, 'gateway', { now: new Date(Date.parse(record.occurred_at) + ageMs), retentionDays })

  test('when it is older than the retention less a day', () => {
    expect([at(29 * dayMs), at(29 * dayMs + 1)]).toEqual([undefined, 'out_of_period'])
    expect([at(6 * dayMs, 7), at(6 * dayMs + 1, 7)]).toEqual([undefined, 'out_of_period'])
  })

  test('when it is more than a day ahead', () => {
    expect([at(-dayMs), at(-dayMs - 1)]).toEqual([undefined, 'out_of_period'])
  })
})

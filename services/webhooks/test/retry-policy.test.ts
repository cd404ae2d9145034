import { describe, expect, test } from '@jest/globals'
import type { AttemptOutcome } from '../src/domain/attempt/outcome.ts'
import { retryAfterMs } from '../src/domain/attempt/retry-after.ts'
import { deriveDeliveryId } from '../src/domain/delivery/delivery-id.ts'
import { scheduleNext } from '../src/domain/delivery/retry-policy.ts'

const nowMs = Date.UTC(2026, 10, 21, 12, 0, 0)

const failed = (given: Partial<AttemptOutcome>): AttemptOutcome => ({
  startedAt: new Date(nowMs),
  durationMs: 1,
  statusCode: 503,
  errorKind: 'status',
  errorDetail: 'responded with 503',
  credentialNames: null,
  responseBody: null,
  responseTruncated: false,
  responseHeaders: null,
  timings: { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null },
  retryAfterMs: null,
  ...given,
})

describe('Retry-After', () => {
  test.each([
    [429, '120', 120_000],
    [503, '0', 0],
    [503, ' 7 ', 7_000],
    [503, 'Sat, 21 Nov 2026 12:01:30 GMT', 90_000],
    [503, 'Saturday, 21-Nov-26 12:01:30 GMT', 90_000],
    [503, 'Sat, 21 Nov 2026 11:00:00 GMT', 0],
    [429, '9999999999', 86_400_000],
    [429, 'Sat, 21 Nov 2099 11:00:00 GMT', 86_400_000],
    [500, '120', null],
    [200, '120', null],
    [503, '-5', null],
    [503, '1.5', null],
    [503, '1e3', null],
    [503, '2027', 2_027_000],
    [503, '99999999999', 86_400_000],
    [503, '9'.repeat(100), 86_400_000],
    [503, 'soon', null],
    [503, 'Sat, soon', null],
    [503, '', null],
    [503, undefined, null],
  ])('of %d with %j is %j ms', (status, header, expected) => {
    expect(retryAfterMs(status, header, nowMs)).toBe(expected)
  })
})

describe('the step after an attempt', () => {
  const schedule = [0, 5_000, 3_600_000]

  test('waits longer than the schedule when Retry-After requests it', () => {
    expect(scheduleNext(failed({ retryAfterMs: 60_000 }), schedule, 0, 0.5)).toMatchObject({ delayMs: 60_000 })
  })

  test('does not shorten the schedule when Retry-After requests less', () => {
    expect(scheduleNext(failed({ retryAfterMs: 1_000 }), schedule, 0, 0.5)).toMatchObject({ delayMs: 5_000 })
    expect(scheduleNext(failed({}), schedule, 1, 0.5)).toMatchObject({ status: 'retrying', delayMs: 3_600_000 })
  })

  test('makes no additional attempt because of Retry-After', () => {
    expect(scheduleNext(failed({ retryAfterMs: 60_000 }), schedule, 2, 0.5)).toMatchObject({ status: 'dead' })
  })

  test('makes no attempt after a 410', () => {
    expect(scheduleNext(failed({ errorKind: 'gone', errorDetail: 'responded with 410' }), schedule, 0, 0.5)).toEqual({
      status: 'dead',
      delayMs: null,
      lastError: 'gone: responded with 410',
    })
  })
})

describe('the id of a delivery', () => {
  const event = { id: '019360e3-0000-7000-8000-0000000000aa', occurredAt: new Date(nowMs) }
  const subscriptionId = '019360e3-0000-7000-8000-0000000000bb'

  test('is always the same UUID v7 of the instant of the event', () => {
    const id = deriveDeliveryId(event, subscriptionId)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(Number.parseInt(id.slice(0, 13).replace('-', ''), 16)).toBe(nowMs)
    expect(deriveDeliveryId({ ...event, id: event.id.toUpperCase() }, subscriptionId)).toBe(id)
  })

  test('differs by event and by subscription', () => {
    const ids = ['a', 'b', 'c'].flatMap((a) => ['d', 'e', 'f'].map((b) => deriveDeliveryId({ ...event, id: a }, b)))
    expect(new Set(ids).size).toBe(9)
  })

  test.each([
    ['0001-01-01T00:00:00Z', '00000000-0000-7'],
    ['9999-12-31T23:59:59Z', 'e677d21f-d818-7'],
  ])('exists for any instant: %s', (instant, beginning) => {
    expect(deriveDeliveryId({ ...event, occurredAt: new Date(instant) }, subscriptionId).slice(0, 15)).toBe(beginning)
  })
})

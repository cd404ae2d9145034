import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { scheduleNext, sweepAfterMs } from '../src/domain/delivery/retry-policy.ts'
import {
  addJitter,
  brokerDelayMsMax,
  bucketDelaysMs,
  parseSchedule,
  writeDelay,
} from '../src/domain/delivery/schedule.ts'

describe('parseSchedule', () => {
  test('parses the delay before each attempt', () => {
    expect(parseSchedule('0s,200ms, 400ms')).toEqual([0, 200, 400])
    expect(parseSchedule('0s,5s,30s,2m,10m,1h,3h,6h,12h,24h')).toHaveLength(10)
    expect(parseSchedule('0s,1d')).toEqual([0, 86_400_000])
  })

  const tooMany = Array.from({ length: 50 }, () => '1s').join(',')
  const invalid = ['5', '-1s', '1.5s', '', 's', '5 s', '31d', '1w', tooMany]
  test.each(['', '1s', '5s,30s', ...invalid.map((delays) => `0s,${delays}`)])('rejects %j', (written) => {
    expect(parseSchedule(written)).toBeUndefined()
  })
})

describe('jitter', () => {
  const delays = fc.integer({ min: 1, max: 30 * 86_400_000 })
  const draws = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

  test('stays within 20 % of the delay', () => {
    fc.assert(
      fc.property(delays, draws, (delayMs, draw) => {
        expect(Math.abs(addJitter(delayMs, draw) - delayMs)).toBeLessThanOrEqual(delayMs * 0.2 + 1)
      }),
    )
  })

  test('every delay that uses a retry queue has one', () => {
    fc.assert(
      fc.property(fc.array(delays, { minLength: 1, maxLength: 10 }), draws, (schedule, draw) => {
        for (const delayMs of schedule) {
          const waitMs = addJitter(delayMs, draw)
          if (waitMs > 0 && waitMs <= brokerDelayMsMax && delayMs <= brokerDelayMsMax) {
            expect(bucketDelaysMs(schedule)).toContain(waitMs)
          }
        }
      }),
    )
  })

  test('jitter buckets have distinct names', () => {
    const names = bucketDelaysMs([0, 5_000, 30_000, 120_000, 600_000, 3_600_000]).map(writeDelay)
    expect(names).toEqual(['4s', '5s', '6s', '24s', '30s', '36s', '96s', '2m', '144s', '8m', '10m', '12m'])
  })
})

describe('scheduleNext', () => {
  const failed = { errorKind: 'status', errorDetail: 'responded with 500' }
  const outcome = (errorKind: string | null) => ({ ...failed, errorKind }) as Parameters<typeof scheduleNext>[0]

  test('a success ends the schedule, a failure leads to the next delay, the last failure to dead', () => {
    expect(scheduleNext(outcome(null), [0, 10], 0, 0.5).status).toBe('delivered')
    expect(scheduleNext(outcome('status'), [0, 10], 0, 0.5)).toMatchObject({ status: 'retrying', delayMs: 10 })
    expect(scheduleNext(outcome('status'), [0, 10], 1, 0.5)).toEqual({
      status: 'dead',
      delayMs: null,
      lastError: 'status: responded with 500',
    })
  })

  test('the sweeper acts at twice the delay, at least 10 s, or at the delay without a message', () => {
    expect([sweepAfterMs(200, true), sweepAfterMs(60_000, true), sweepAfterMs(60_000, false)]).toEqual([
      10_200, 120_000, 60_000,
    ])
  })
})

import { z } from 'zod'
import { instant, instantInput } from './field.ts'
import { commonProblems, Problem } from './problem.ts'

/**
 * A period of statistics. Statistics have a row per hour, and a row per day (UTC) of a period of more than seven days,
 * so a reply has less than 200 rows.
 */
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const hoursMax = 7 * 24
const daysMax = 31
const defaultMs = dayMs

export const periodQuery = z.strictObject({
  from: instantInput
    .optional()
    .describe('Begin of the period, rounded down to a whole interval. Default: 24 hours before `to`.'),
  to: instantInput
    .optional()
    .describe('End of the period, rounded up to a whole interval. Default: now. At most 31 days after `from`.'),
})

const intervalNames = ['hour', 'day'] as const
type IntervalName = (typeof intervalNames)[number]

export const periodShape = {
  from: instant.describe('Begin of the first interval.'),
  to: instant.describe('End of the last interval.'),
  interval: z
    .enum(intervalNames)
    .meta({ id: 'StatisticsInterval' })
    .describe('Length of an interval: an hour, or a day (UTC) in a period of more than seven days.'),
}

export interface Period {
  readonly from: Date
  readonly to: Date
  readonly interval: IntervalName
}

/** The first instant that `instant` cannot reply. */
const tooLateMs = Date.UTC(10_000, 0)

/**
 * The whole intervals of a query. Throws invalid_request for a period that ends before it begins, is too long, or ends
 * after the year 9999.
 */
export function parsePeriod({ from, to }: { from?: Date | undefined; to?: Date | undefined }, now: Date): Period {
  const end = (to ?? now).getTime()
  const begin = from?.getTime() ?? end - defaultMs
  if (begin >= end) throw badPeriod('must be before the end of the period')
  if (end - begin > daysMax * dayMs) throw badPeriod(`must be at most ${daysMax} days before the end of the period`)
  const interval = end - begin <= hoursMax * hourMs ? 'hour' : 'day'
  const sizeMs = interval === 'hour' ? hourMs : dayMs
  const last = Math.ceil(end / sizeMs) * sizeMs
  if (last >= tooLateMs) throw badPeriod('rounded up to a whole interval, must be before the year 10000', 'to')
  // Without `from`, the current hour is one of the 24.
  const first = from === undefined ? last - defaultMs : Math.floor(begin / sizeMs) * sizeMs
  return { from: new Date(first), to: new Date(last), interval }
}

/** The begin of each interval of a period, in order. */
export function listIntervals({ from, to, interval }: Period): Date[] {
  const sizeMs = interval === 'hour' ? hourMs : dayMs
  const count = Math.round((to.getTime() - from.getTime()) / sizeMs)
  return Array.from({ length: count }, (_, index) => new Date(from.getTime() + index * sizeMs))
}

function badPeriod(detail: string, end: 'from' | 'to' = 'from'): Problem {
  return new Problem(commonProblems.invalid_request, { detail, errors: [{ pointer: `/query/${end}`, detail }] })
}

/** A month in UTC. */
export const monthQuery = z.strictObject({
  month: z
    .string()
    .regex(/^20[0-9]{2}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-01')
    .optional()
    .describe('Month (UTC), such as `2026-01`. Default: the current month.'),
})

export const monthShape = { month: z.string().describe('Month (UTC), such as `2026-01`.') }

export interface Month {
  readonly name: string
  readonly from: Date
  readonly to: Date
}

export function parseMonth(name: string | undefined, now: Date): Month {
  const month = name ?? now.toISOString().slice(0, 7)
  const from = new Date(`${month}-01T00:00:00.000Z`)
  return { name: month, from, to: new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1)) }
}

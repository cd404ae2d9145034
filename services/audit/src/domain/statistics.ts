import { listIntervals, type Period } from '@payments/contracts/grammar/period'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { outcomes } from '@payments/contracts/services/audit/fields'
import { type AuditStatistics, codesMax, otherCode } from '@payments/contracts/services/audit/statistics'

const hourMs = 3_600_000

/** Requests of one hour with one outcome, client and problem code; the code of a success is empty. */
export interface HourlyCount {
  readonly hour: Date
  readonly outcome: string
  readonly client: string
  readonly code: string
  readonly requests: number
}

const noClient = 'none'
const countKey = ({ hour, outcome, client, code }: HourlyCount) =>
  JSON.stringify([hour.getTime(), outcome, client, code])

/** The hours in which the requests of the records arrived. */
export const listHours = (records: readonly AuditRecord[]): Date[] =>
  [...new Set(records.map(startOfHour))].map((hour) => new Date(hour))

const startOfHour = ({ occurred_at: at }: AuditRecord) => Math.floor(Date.parse(at) / hourMs) * hourMs

/**
 * The requests of the records by hour, outcome, client and code. An hour has at most `codesMax` codes, `known` ones
 * included; requests with another code have the code `other`.
 */
export function countRequests(
  records: readonly AuditRecord[],
  known: readonly { readonly hour: Date; readonly code: string }[],
): HourlyCount[] {
  const codesByHour = new Map<number, Set<string>>()
  const knownCodes = (hour: number) => {
    const codes = codesByHour.get(hour) ?? new Set()
    codesByHour.set(hour, codes)
    return codes
  }
  for (const { hour, code } of known) knownCodes(hour.getTime()).add(code)
  const counts = new Map<string, HourlyCount>()
  for (const record of records) {
    const hour = startOfHour(record)
    const codes = knownCodes(hour)
    const given = record.code ?? ''
    const code = given === '' || codes.has(given) || codes.size < codesMax ? given : otherCode
    if (code !== '') codes.add(code)
    const { outcome, client, count } = record
    const counted = { hour: new Date(hour), outcome, client: client ?? noClient, code, requests: count }
    const key = countKey(counted)
    counts.set(key, { ...counted, requests: (counts.get(key)?.requests ?? 0) + count })
  }
  return [...counts.values()]
}

/** Of an interval without a code, or of a code without an interval. */
export interface RequestCount {
  readonly startsAt: Date | null
  readonly outcome: string
  readonly code: string | null
  readonly requests: bigint
}

/** `counts` by interval and outcome, without a code, and by code and outcome, without an interval. */
export function presentStatistics(period: Period, counts: readonly RequestCount[]): AuditStatistics {
  const none = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<(typeof outcomes)[number], number>
  const countedAt = (instant: Date) => counts.filter(({ startsAt }) => startsAt?.getTime() === instant.getTime())
  return {
    from: period.from.toISOString(),
    to: period.to.toISOString(),
    interval: period.interval,
    intervals: listIntervals(period).map((instant) => ({
      starts_at: instant.toISOString(),
      ...none,
      ...Object.fromEntries(countedAt(instant).map(({ outcome, requests }) => [outcome, Number(requests)])),
    })),
    codes: counts.flatMap(({ code, outcome, requests }) =>
      code === null ? [] : [{ code, outcome: outcome as (typeof outcomes)[number], requests: Number(requests) }],
    ),
  }
}

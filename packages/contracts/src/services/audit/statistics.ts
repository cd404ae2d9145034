import { z } from 'zod'
import type { Endpoint } from '../../grammar/contract.ts'
import { instant } from '../../grammar/field.ts'
import { monthQuery, monthShape, periodQuery, periodShape } from '../../grammar/period.ts'
import { tenantRoute } from '../../grammar/route.ts'
import { clientFilter, outcome } from './fields.ts'

/** Per tenant and hour. The codes beyond it are counted as `other`. */
export const codesMax = 30

/** Of a reply. */
export const topCodesMax = 20

export const otherCode = 'other'

const requests = (what: string) => z.int().min(0).describe(`Number of requests ${what}.`)

const auditStatistics = z
  .object({
    ...periodShape,
    intervals: z
      .array(
        z.object({
          starts_at: instant.describe('Begin of the interval.'),
          success: requests('with 2xx or 3xx'),
          denied: requests('with 401, 403 or 429'),
          rejected: requests('with another 4xx'),
          error: requests('with 5xx'),
        }),
      )
      .describe('Each interval of the period, oldest first.'),
    codes: z
      .array(
        z.object({
          code: z.string().describe('Code of the problem.'),
          outcome: outcome.describe('Outcome of the requests.'),
          requests: requests('with this code'),
        }),
      )
      .describe(`The most frequent problem codes of the period, at most ${topCodesMax}.`),
  })
  .meta({ id: 'AuditStatistics', description: 'Requests of a period by their outcome.' })

export type AuditStatistics = z.output<typeof auditStatistics>

const auditUsage = z
  .object({ ...monthShape, requests: requests('that arrived in the month') })
  .meta({ id: 'AuditUsage', description: 'Requests of a month.' })

export type AuditUsage = z.output<typeof auditUsage>

export const statisticsEndpoints = {
  readAuditStatistics: {
    ...tenantRoute('GET', '/v1/audit/statistics', 'audit:ReadRecord'),
    summary: 'Count the requests of the tenant by hour or day.',
    description: `Requests are counted in the hour in which they arrived, within seconds. An hour has at most ${codesMax} codes; requests with further codes have the code \`${otherCode}\`.`,
    query: periodQuery.extend({
      client: clientFilter.optional().describe('Only requests of these clients, separated by commas.'),
    }),
    replies: { 200: auditStatistics },
  },
  readAuditUsage: {
    ...tenantRoute('GET', '/v1/audit/usage', 'audit:ReadRecord'),
    summary: 'Count the requests of the tenant in a month.',
    description: 'Counts are stored for 25 months.',
    query: monthQuery,
    replies: { 200: auditUsage },
  },
} as const satisfies Record<string, Endpoint>

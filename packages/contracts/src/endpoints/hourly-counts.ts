import { z } from 'zod'
import type { Endpoint, Path } from '../grammar/contract.ts'
import { id, instant, uuid } from '../grammar/field.ts'
import { monthQuery, monthShape, periodQuery, periodShape } from '../grammar/period.ts'
import type { Permission } from '../grammar/permission.ts'
import { tenantRoute } from '../grammar/route.ts'

/**
 * Statistics and usage of what a service counts by hour, business unit and status
 * (`packages/chassis/src/database/hourly-counts.ts`).
 */
export const unitsMax = 200

const countedText =
  'An hour is counted a few minutes after its begin, and again while its statuses may change, up to seven days after its end. Counts are stored for 25 months.'

const statisticsQuery = periodQuery.extend({
  business_unit_id: id.optional().describe('Only of this business unit.'),
})

const number = z.int().min(0)

/** Per interval the number of each status. `noun`: `deliveries`. */
const statisticsSchema = <const S extends string>(statuses: readonly S[], meta: { id: string; noun: string }) =>
  z
    .object({
      ...periodShape,
      intervals: z
        .array(
          z.object({
            starts_at: instant.describe('Begin of the interval.'),
            total: number.describe(`Number of ${meta.noun} that were created in the interval.`),
            by_status: z
              .object(
                Object.fromEntries(
                  statuses.map((status) => [status, number.describe(`Number with the status \`${status}\`.`)]),
                ) as Record<S, typeof number>,
              )
              .describe(`Number of these ${meta.noun} by their status at the last count.`),
          }),
        )
        .describe('Each interval of the period, oldest first.'),
    })
    .meta({ id: meta.id, description: `Number of ${meta.noun} of a period by status.` })

/** The number in a month, per business unit. */
const usageSchema = ({ id: name, noun }: { id: string; noun: string }) =>
  z
    .object({
      ...monthShape,
      total: number.describe(`Number of ${noun} that were created in the month.`),
      units: z
        .array(
          z.object({
            business_unit_id: uuid.describe('Business unit.'),
            count: number.describe(`Number of its ${noun}.`),
          }),
        )
        .describe(`The business units with most ${noun}, at most ${unitsMax}.`),
    })
    .meta({ id: name, description: `Number of ${noun} of a month per business unit.` })

/** The counts of a tenant by hour or day and status, in the response `id`. */
export const statisticsEndpoint = <const P extends Path, const N extends Permission, const S extends string>(
  path: P,
  permission: N,
  statuses: readonly S[],
  meta: { id: string; noun: string },
) =>
  ({
    ...tenantRoute('GET', path, permission),
    summary: `Count the ${meta.noun} of the tenant by hour or day and status.`,
    description: countedText,
    query: statisticsQuery,
    replies: { 200: statisticsSchema(statuses, meta) },
  }) as const satisfies Endpoint

/** The count of a tenant in a month, per business unit, in the response `id`. */
export const usageEndpoint = <const P extends Path, const N extends Permission>(
  path: P,
  permission: N,
  meta: { id: string; noun: string },
) =>
  ({
    ...tenantRoute('GET', path, permission),
    summary: `Count the ${meta.noun} of a month per business unit.`,
    description: countedText,
    query: monthQuery,
    replies: { 200: usageSchema(meta) },
  }) as const satisfies Endpoint

import { z } from 'zod'
import { isPermission, type Permission, permissionNames } from './permission.ts'

/**
 * Fields that mean the same in every contract. A `pattern` in `meta` documents what a refinement checks. It rejects
 * nothing that the refinement accepts, and names only what regular expressions of every language know.
 */

const permissionMeta = { id: 'Permission', type: 'string', enum: permissionNames } as const

/** `<resource>:<Action>`, one of the catalogue. */
export const permission = z
  .custom<Permission>((value) => typeof value === 'string' && isPermission(value))
  .meta({ ...permissionMeta, description: 'Name of a permission.' })

/** Any UUID, in lower case. */
export const id = z.guid().transform((value) => value.toLowerCase())

/** Of a path that names its tenant, since the caller is another process. */
export const tenantParams = z.strictObject({ tenant_id: id })

/** The id of one of our rows, as replied. */
export const uuid = z.guid()

/** A UUID by its 32 hexadecimal digits. */
export const formatUuid = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** An instant, ISO 8601 in UTC with milliseconds. */
export const instant = z.iso.datetime({ precision: 3 })

/** An instant as a caller writes it: ISO 8601 with any offset, from 1970 to 9999 in UTC, which `instant` can reply. */
export const instantInput = z.iso
  .datetime({ offset: true, abort: true })
  .refine(
    (value) => new Date(value).getTime() >= 0 && new Date(value).getUTCFullYear() <= 9999,
    'must be from 1970 to 9999',
  )
  // 1969-12-31 with an offset can be 1970 in UTC.
  .meta({ pattern: '^(1969-12-31|19[7-9][0-9]-[0-9]{2}-[0-9]{2}|[2-9][0-9]{3}-[0-9]{2}-[0-9]{2})T[0-9:.]+[Z+-]' })
  .transform((value) => new Date(value))

const unprintable = /\0|\p{Surrogate}/u

/** Well-formed Unicode without NUL, 0 to `max` UTF-16 code units. */
export const prose = (max: number) =>
  z
    .string()
    .max(max, { abort: true })
    .refine((value) => !unprintable.test(value), 'must be well-formed Unicode without NUL')

/** Like `prose`, and not empty. */
export const text = (max: number) => prose(max).min(1)

/** Of any size that a number has, so that the error of a large one names the bound. */
const digits = /^-?[0-9]{1,100}$/

/**
 * An integer in a query, in decimal digits alone: `0x10`, `1e1` and an empty text are none. Its default is a
 * `prefault`, which the documentation shows.
 */
export const queryInteger = (min: number, max: number) =>
  z.preprocess(
    (given) => (typeof given === 'string' && digits.test(given) ? Number(given) : given),
    z
      .number({ error: ({ code }) => (code === 'invalid_type' ? 'must be an integer in digits' : undefined) })
      .int()
      .min(min)
      .max(max),
  )

/** The body of an update of the given fields, of which there is at least one. */
export const updateBody = <T extends z.ZodObject>(fields: T) =>
  fields.refine((body) => Object.keys(body).length > 0, 'must change at least one field').meta({ minProperties: 1 })

/** One or more values of an enumeration in a query, separated by commas. Each value is returned once. */
export function commaList<V extends string>(values: readonly [V, ...V[]]) {
  const one = `(${values.join('|')})`
  const lengthMax = values.length * (1 + Math.max(...values.map(({ length }) => length)))
  return z
    .string()
    .max(lengthMax)
    .regex(
      new RegExp(`^${one}(,${one}){0,${values.length - 1}}$`),
      `must be one or more of ${values.join(', ')}, separated by commas`,
    )
    .transform((given): V[] => values.filter((value) => given.split(',').includes(value)))
}

/**
 * The ends of a window of a list: `<name>_after`, which the window includes, and `<name>_before`, which it does not. So
 * windows that meet neither lose nor repeat a record.
 */
export function windowQuery<const N extends string>(name: N, records: string) {
  const ends = {
    [`${name}_after`]: instantInput.optional().describe(`Only ${records} at or after this instant.`),
    [`${name}_before`]: instantInput.optional().describe(`Only ${records} before this instant.`),
  }
  return ends as { [E in `${N}_after` | `${N}_before`]: z.ZodOptional<typeof instantInput> }
}

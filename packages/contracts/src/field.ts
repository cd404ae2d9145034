import { z } from 'zod'
import { isPermission, type Permission } from './permission.ts'

/** Fields that mean the same in every contract. */

/** `<resource>:<Action>`, one of the catalogue. */
export const permission = z
  .custom<Permission>((value) => typeof value === 'string' && isPermission(value))
  .meta({ type: 'string', pattern: '^[a-z]+:[A-Za-z]+$' })

/** Any UUID, in lower case. */
export const id = z.guid().transform((value) => value.toLowerCase())

/** The id of one of our rows, as replied. */
export const uuid = z.guid()

/** An instant, ISO 8601 in UTC with milliseconds. */
export const instant = z.iso.datetime({ precision: 3 })

/** An instant as a caller writes it: ISO 8601 with any offset, from 1970 to 9999 in UTC, which `instant` can reply. */
export const instantInput = z.iso
  .datetime({ offset: true, abort: true })
  .refine(
    (value) => new Date(value).getTime() >= 0 && new Date(value).getUTCFullYear() <= 9999,
    'must be from 1970 to 9999',
  )
  .transform((value) => new Date(value))

const unprintable = /\0|\p{Surrogate}/u

/** Well-formed Unicode without NUL, 1 to `max` UTF-16 code units. */
export const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => !unprintable.test(value), 'must be well-formed Unicode without NUL')

/** Like `text`, and may be empty. */
export const prose = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => !unprintable.test(value), 'must be well-formed Unicode without NUL')

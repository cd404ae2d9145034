import { toInputSchema } from '@payments/contracts/grammar/json-schema'
import type { ZodSchema } from './arbitrary.ts'
import { repeatPiece, withFullLists } from './hostile-text.ts'
import { buildSamples, type Sample, type TextField, textsIn, withTexts } from './text-field.ts'

/**
 * **What it does.** Generates values of a schema with hostile texts in its fields, for each piece of text.
 *
 * **Guarantees.** Each field is hostile beyond its limits in a value that the schema rejects. Each field whose rules
 * accept the text is hostile in a value that the schema accepts, as long as the field and the size allow. Lists are as
 * full as the size allows.
 */
export type HostileValues = (piece: string) => {
  /** Texts that the schema accepts. */
  readonly accepted: readonly HostileValue[]
  readonly others: readonly HostileValue[]
}

interface HostileValue {
  readonly what: string
  readonly value: unknown
}

type Size = (value: unknown) => number

/** Values of at most `bytesMax`, of which `size` returns the bytes. None without a schema. */
export function hostileValues(schema: ZodSchema | undefined, bytesMax: number, size: Size): HostileValues {
  if (schema === undefined) return () => ({ accepted: [], others: [] })
  const samples = buildSamples(schema, toInputSchema(schema)).map((sample) => {
    return { sample, full: fullest(sample, (value) => size(value) <= bytesMax / 2) }
  })
  const isAccepted = (value: unknown) => size(value) <= bytesMax && schema.safeParse(value).success
  return (piece) => {
    const fill = (given: Sample, fields: readonly TextField[], readLimit: (field: TextField) => number) =>
      fillFields(given, fields, readLimit, { piece, bytesMax, size })
    const values = samples.map(({ sample, full }) => {
      const groups = acceptedGroups(sample.fields.filter(mayAccept(piece)), (fields) => {
        const { value, areShortened } = fill(sample, fields, limitWithin(bytesMax))
        return (fields.length === 1 || !areShortened) && isAccepted(value)
      })
      const long = (given: Sample, what: string, readLimit: (field: TextField) => number) => {
        return (fields: readonly TextField[]) =>
          fields.length === 0 ? [] : [{ what, value: fill(given, fields, readLimit).value }]
      }
      return {
        accepted: groups.flatMap(long(sample, 'accepted texts', limitWithin(bytesMax))),
        others: [
          ...(full === undefined ? [] : long(full, 'full lists', limitWithin(bytesMax))(groups.flat())),
          ...long(sample, 'every text', shortLimit)(sample.added.filter((field) => !isListed(field))),
          ...chunks(sample.added).flatMap(long(sample, 'texts beyond their limits', () => longMax)),
        ],
      }
    })
    return {
      accepted: values.flatMap(({ accepted }) => accepted),
      others: values.flatMap(({ others }) => others),
    }
  }
}

const limitWithin =
  (most: number) =>
  ({ maxLength = most }: TextField) =>
    maxLength

const isListed = (field: TextField) => field.const !== undefined || field.enum !== undefined

/** Whether a text of the piece may be valid: the schema decides. */
const mayAccept = (piece: string) => (field: TextField) =>
  !isListed(field) &&
  field.format === undefined &&
  (field.pattern === undefined || new RegExp(field.pattern, 'u').test(repeatPiece(piece, field.maxLength ?? 100)))

const itemCounts = [10_000, 5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10, 5]

/** The sample with the longest lists that fit. Undefined: they have more items than the sample for no count. */
function fullest(sample: Sample, fits: (value: unknown) => boolean): Sample | undefined {
  const before = JSON.stringify(sample.value).length
  for (const count of itemCounts) {
    const value = withFullLists(sample.shape, sample.value, count)
    if (fits(value)) return JSON.stringify(value).length > before ? { ...sample, value } : undefined
  }
  return undefined
}

/** Fields as few groups: together they are accepted. A field that is rejected alone is in none. */
function acceptedGroups(
  fields: readonly TextField[],
  isAccepted: (fields: readonly TextField[]) => boolean,
): (readonly TextField[])[] {
  if (fields.length === 0) return []
  if (isAccepted(fields)) return [fields]
  if (fields.length === 1) return []
  const half = fields.length >> 1
  return [fields.slice(0, half), fields.slice(half)].flatMap((part) => acceptedGroups(part, isAccepted))
}

/** Of texts that the schema may reject. Those that it accepts are as long as they may be. */
const shortLimit = ({ maxLength = shortMax }: TextField) => Math.min(maxLength, shortMax)
const shortMax = 4_000

/** Code units of a text that a function of quadratic time reads for more than 20 ms. */
const longMax = 16 * 1024
const fieldsAtOnce = 16

/** A listed text decides about the alternative, without which the other fields are not read: it is in another chunk. */
function chunks(fields: readonly TextField[]): (readonly TextField[])[] {
  const parts = [fields.filter(isListed), fields.filter((field) => !isListed(field))]
  return parts.flatMap((part) =>
    Array.from({ length: Math.ceil(part.length / fieldsAtOnce) }, (_, number) =>
      part.slice(number * fieldsAtOnce, (number + 1) * fieldsAtOnce),
    ),
  )
}

interface Filling {
  readonly piece: string
  readonly bytesMax: number
  readonly size: Size
}

/**
 * The sample with texts of the piece in the fields. A text has at most as many code units as `readLimit` returns. Texts
 * that do not fit are shortened: they share the bytes that the shorter ones leave.
 */
function fillFields(
  { shape, value }: Sample,
  fields: readonly TextField[],
  readLimit: (field: TextField) => number,
  { piece, bytesMax, size }: Filling,
) {
  const isFilled = (field: TextField) => fields.includes(field)
  const limits = textsIn(shape, value)
    .filter(isFilled)
    .map(readLimit)
    .sort((one, other) => one - other)
  const withShortest = withTexts(shape, value, (field) => (isFilled(field) ? '!' : undefined))
  const unitBytes = (size({ a: piece }) - size({ a: '' })) / piece.length
  let left = (bytesMax - size(withShortest)) / unitBytes
  let share = 0
  for (const [number, limit] of limits.entries()) {
    share = Math.max(1, Math.floor(left / (limits.length - number)))
    left -= Math.min(limit, share)
  }
  return {
    value: withTexts(shape, value, (field) =>
      isFilled(field) ? repeatPiece(piece, Math.min(readLimit(field), share)) : undefined,
    ),
    areShortened: (limits.at(-1) ?? 0) > share,
  }
}

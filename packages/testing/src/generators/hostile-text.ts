import { type JsonSchema, toInputSchema } from '@payments/contracts/grammar/json-schema'
import type { ZodSchema } from './arbitrary.ts'
import { buildSamples, findField, type Sample, type TextField, withTexts } from './text-field.ts'

/** Pieces of texts that a function which is not linear reads slowly. None is, or repeats to, a card number. */
export const pieces: Readonly<Record<string, string>> = {
  'digits of two code units': '\u{1d7ff}',
  'digits of another script': '\u0664',
  'digits between separators': '4 ',
  'zeros between separators': '0 - ',
  'decimal numbers': '1.',
  'long words': 'a',
  'words of hexadecimal digits': '1a ',
  'combining marks': 'a\u0301\u0323',
  'marks in another order': '\u0301\u0316',
  'emoji of several code points': '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  'opened tags': '<b style="a">',
  'opened placeholders': '{{a',
  escapes: '&amp;%41\\',
  blanks: ' \t',
}

/** The piece, repeated to at most `length` code units, before a character on which a search for its end fails. */
export const repeatPiece = (piece: string, length: number): string =>
  `${piece.repeat(Math.max(0, Math.floor((length - 1) / piece.length)))}!`

/** Texts of at most `length` code units, by what they consist of. */
export const hostileTexts = (length: number): [string, string][] =>
  Object.entries(pieces).map(([name, piece]) => [name, repeatPiece(piece, length)])

/** More items than a request creates at once, where the schema has no limit. The others: where 1 MiB is too little. */
const itemCounts = [200, 100, 50, 25, 10]
const textMax = 4_000

/**
 * For each hostile text, the greatest values of at most `bytesMax` that the schema accepts with the text wherever a
 * text is free: one for each alternative. Lists are full where their items may repeat. Throws if there is none.
 */
export function largestValues(schema: ZodSchema, bytesMax: number): [string, unknown][] {
  const isValid = (value: unknown) => schema.safeParse(value).success
  const largest = ({ shape, value }: Sample, name: string, piece: string): [string, unknown][] => {
    const byLength = [...itemCounts.map((count) => withFullLists(shape, value, count)), value]
    for (const candidate of byLength) {
      const filled = withTexts(shape, candidate, (field) => freeText(field, piece))
      if (Buffer.byteLength(JSON.stringify(filled)) <= bytesMax && isValid(filled)) return [[name, filled]]
    }
    return []
  }
  const samples = buildSamples(schema, toInputSchema(schema))
  const values = Object.entries(pieces).flatMap(([name, piece]) => samples.flatMap((one) => largest(one, name, piece)))
  if (values.length === 0) throw new Error('the schema accepts no hostile text')
  return values
}

/** A text for a field with no rule but a length. */
function freeText(field: TextField, piece: string): string | undefined {
  const { maxLength = textMax, format, pattern, examples } = field
  const isFree = [format, pattern, field.enum, field.const, examples].every((rule) => rule === undefined)
  return isFree && maxLength > piece.length ? repeatPiece(piece, Math.min(maxLength, textMax)) : undefined
}

/** The value with `count` items in each list, or as many as its shape allows. */
export function withFullLists(shape: JsonSchema, value: unknown, count: number): unknown {
  if (Array.isArray(value)) {
    const { items = {}, maxItems = count } = shape
    const length = value.length === 0 ? 0 : Math.min(maxItems, count)
    return Array.from({ length }, (_, number) => withFullLists(items, value[number % value.length], count))
  }
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, inner]) => [
    name,
    withFullLists(findField(shape, name) ?? {}, inner, count),
  ])
  return Object.fromEntries(fields)
}

/** Headers that a process of the platform reads, each with the start that its parser expects, and an unknown one. */
const headerStarts: Readonly<Record<string, string>> = {
  accept: 'text/html,',
  'accept-language': 'de,',
  authorization: 'Bearer ',
  'content-type': 'application/json; charset=',
  cookie: '__Host-session=',
  host: '',
  'idempotency-key': '',
  'if-none-match': '"',
  origin: 'https://',
  'sec-fetch-site': '',
  'stripe-signature': 't=1,v1=',
  'tenant-id': '',
  'trace-id': '',
  traceparent: '00-',
  'user-agent': 'Mozilla/5.0 ',
  'webhook-signature': 'v1,',
  'x-console': '',
  'x-forwarded-for': '192.0.2.1,',
  'x-unknown': '',
}
/** Members of lists, which parsers of headers split. */
const listPieces = { 'empty members': ',', 'empty pairs': ';=', 'several weights': 'a;q=1,' }
/** Of the 16 KiB of request line and headers. */
const headerMax = 14_000

export interface HostileHeader {
  readonly what: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * A header of the greatest length for each piece and each of the names: by default, every header that a process of the
 * platform reads. Bytes beyond ASCII are sent as UTF-8.
 */
export function hostileHeaders(names: readonly string[] = Object.keys(headerStarts)): HostileHeader[] {
  return names.flatMap((name) =>
    Object.entries({ ...pieces, ...listPieces }).map(([piece, one]) => ({
      what: `${piece} in ${name}`,
      headers: {
        [name]: Buffer.from(`${headerStarts[name] ?? ''}${repeatPiece(one, headerMax)}`)
          .toString('latin1')
          .slice(0, headerMax),
      },
    })),
  )
}

import { bodyLimitOf, type Endpoint } from '@payments/contracts/grammar/contract'
import { inputSchemaOf, type JsonSchema } from '@payments/contracts/grammar/json-schema'
import fc from 'fast-check'
import { arbitraryOfShape, type ZodSchema } from './arbitrary.ts'
import { type GeneratedRequest, validRequests } from './broken-request.ts'

/** Pieces of texts that a function which is not linear reads slowly. None is, or repeats to, a card number. */
const pieces: Readonly<Record<string, string>> = {
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
const repeated = (piece: string, length: number): string => `${piece.repeat(Math.floor((length - 1) / piece.length))}!`

/** Texts of at most `length` code units, by what they consist of. */
export const hostileTexts = (length: number): [string, string][] =>
  Object.entries(pieces).map(([name, piece]) => [name, repeated(piece, length)])

/** More items than a request creates at once, where the schema has no limit. The others: where 1 MiB is too little. */
const itemCounts = [200, 100, 50, 25, 10]

/**
 * For each hostile text, the greatest value of at most `bytesMax` that the schema accepts with the text wherever a text
 * is free. Lists are full where their items may repeat. Throws if the schema accepts no such value.
 */
export function largestValues(schema: ZodSchema, bytesMax: number): [string, unknown][] {
  const shape = inputSchemaOf(schema)
  const isValid = (value: unknown) => schema.safeParse(value).success
  const [valid] = fc.sample(arbitraryOfShape(shape, true).filter(isValid), { numRuns: 1, seed: 1 })
  const byLength = [...itemCounts.map((count) => withFullLists(shape, valid, count)), valid]
  const values = Object.entries(pieces).flatMap(([name, piece]): [string, unknown][] => {
    for (const value of byLength) {
      const filled = filledWith(shape, value, piece, true)
      if (Buffer.byteLength(JSON.stringify(filled)) <= bytesMax && isValid(filled)) return [[name, filled]]
    }
    return []
  })
  if (values.length === 0) throw new Error('the schema accepts no hostile text')
  return values
}

function withFullLists(shape: JsonSchema, value: unknown, count: number): unknown {
  if (Array.isArray(value)) {
    const { items = {}, maxItems = count } = alternativeOf(shape, 'array')
    const length = value.length === 0 ? 0 : Math.min(maxItems, count)
    return Array.from({ length }, (_, number) => withFullLists(items, value[number % value.length], count))
  }
  if (typeof value !== 'object' || value === null) return value
  const shapes = fieldShapes(shape)
  const fields = Object.entries(value).map(([name, inner]) => [name, withFullLists(shapes(name), inner, count)])
  return Object.fromEntries(fields)
}

const targetMax = 6_000

interface HostileRequest {
  readonly what: string
  readonly request: GeneratedRequest
}

/** Requests of the endpoint with long hostile texts: in path, query and each text of the body, and as a whole body. */
export function hostileRequests(endpoint: Endpoint): HostileRequest[] {
  const [valid] = fc.sample(validRequests(endpoint), { numRuns: 1, seed: 1 })
  if (valid === undefined) throw new Error('fast-check generated no request')
  const texts = Object.entries(pieces).flatMap(([name, piece]) =>
    [...inTarget(endpoint, valid, piece), ...inBody(endpoint, valid, piece)].map(({ what, request }) => ({
      what: `${name} in ${what}`,
      request,
    })),
  )
  return [...texts, ...withManyValues(endpoint, valid)]
}

/** As many values as the body can have: unknown fields, and items or members in place of the value of each field. */
function withManyValues(endpoint: Endpoint, valid: GeneratedRequest): HostileRequest[] {
  if (endpoint.body === undefined || typeof valid.body !== 'string') return []
  const names = ['unknown', ...Object.keys(JSON.parse(valid.body))]
  const valuesMax = bodyLimitOf(endpoint) / 12
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, 0]))
  const inEach = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]))
  const bodies = {
    'many unknown fields': members(valuesMax),
    'many items in each field': inEach(Array(Math.floor((5 * valuesMax) / names.length)).fill(0)),
    'many members in each field': inEach(members(Math.floor(valuesMax / names.length))),
  }
  return Object.entries(bodies).map(([what, body]) => ({ what, request: { ...valid, body: JSON.stringify(body) } }))
}

function inTarget({ path, query }: Endpoint, valid: GeneratedRequest, piece: string): HostileRequest[] {
  const text = encodeURIComponent(repeated(piece, targetMax / 12))
  const names = ['unknown', ...Object.keys(query?.shape ?? {})]
  const search = names.map((name) => `${name}=${text.slice(0, targetMax / names.length).replace(/%.?$/, '')}`).join('&')
  const [plain = ''] = valid.target.split('?', 1)
  const requests = [{ what: 'the query', request: { ...valid, target: `${plain}?${search}` } }]
  if (!path.includes('{')) return requests
  const target = path.replaceAll(/\{\w+\}/g, text)
  return [...requests, { what: 'the path', request: { ...valid, target } }]
}

function inBody(endpoint: Endpoint, valid: GeneratedRequest, piece: string): HostileRequest[] {
  const longest = repeated(piece, bodyLimitOf(endpoint) / 4)
  if (endpoint.rawBody !== undefined) {
    const headers = { ...valid.headers, 'content-type': 'application/x-www-form-urlencoded' }
    const bodies = { 'a raw body': longest, 'a form': `a=${encodeURIComponent(longest)}`.slice(0, longest.length) }
    return Object.entries(bodies).map(([what, body]) => ({ what, request: { ...valid, headers, body } }))
  }
  if (endpoint.body === undefined || typeof valid.body !== 'string') return []
  const [shape, value] = [inputSchemaOf(endpoint.body), JSON.parse(valid.body)]
  const filled = (isAllowed: boolean) => JSON.stringify(filledWith(shape, value, piece, isAllowed))
  return [
    { what: 'every free text of the body', request: { ...valid, body: filled(true) } },
    { what: 'every text of the body', request: { ...valid, body: filled(false) } },
    { what: 'an unknown field', request: { ...valid, body: JSON.stringify({ [longest.slice(0, 1_000)]: longest }) } },
  ]
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

/** A header of the greatest length for each name and text. Bytes beyond ASCII are sent as UTF-8. */
export function hostileHeaders(): { readonly what: string; readonly headers: Readonly<Record<string, string>> }[] {
  return Object.entries(headerStarts).flatMap(([name, start]) =>
    Object.entries({ ...pieces, ...listPieces }).map(([piece, one]) => ({
      what: `${piece} in ${name}`,
      headers: {
        [name]: Buffer.from(`${start}${repeated(one, headerMax)}`)
          .toString('latin1')
          .slice(0, headerMax),
      },
    })),
  )
}

const textMax = 4_000

/** The value with hostile text in place of its texts. `isAllowed`: only where no rule but a length applies. */
function filledWith(shape: JsonSchema, value: unknown, piece: string, isAllowed: boolean): unknown {
  if (Array.isArray(value)) {
    const { items = {} } = alternativeOf(shape, 'array')
    return value.map((item) => filledWith(items, item, piece, isAllowed))
  }
  if (typeof value === 'object' && value !== null) {
    const shapes = fieldShapes(shape)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, filledWith(shapes(name), inner, piece, isAllowed)]),
    )
  }
  if (typeof value !== 'string') return value
  const { maxLength = textMax, type = 'string', format, pattern, examples, ...text } = alternativeOf(shape, 'string')
  const isFree = isText(type) && [format, pattern, text.enum, text.const, examples].every((rule) => rule === undefined)
  if (isAllowed && (!isFree || maxLength <= piece.length)) return value
  return repeated(piece, Math.max(1, Math.min(maxLength, textMax)))
}

/** A text that may be null has a list of types. */
const isText = (type: unknown) => type === 'string' || (Array.isArray(type) && type.includes('string'))

const alternativeOf = (shape: JsonSchema, wanted: JsonSchema['type']): JsonSchema =>
  shape.anyOf?.find(({ type }) => type === wanted) ?? shape

/** The shape of each field of an object. */
function fieldShapes(shape: JsonSchema): (name: string) => JsonSchema {
  const { additionalProperties, properties } = alternativeOf(shape, 'object')
  const ofRecord = typeof additionalProperties === 'object' ? additionalProperties : {}
  return (name) => properties?.[name] ?? ofRecord
}

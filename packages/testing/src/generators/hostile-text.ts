import { bodyLimitOf, type Endpoint } from '@payments/contracts/grammar/contract'
import { inputSchemaOf, type JsonSchema } from '@payments/contracts/grammar/json-schema'
import fc from 'fast-check'
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

const targetMax = 6_000

interface HostileRequest {
  readonly what: string
  readonly request: GeneratedRequest
}

/** Requests of the endpoint with long hostile texts: in path, query and each text of the body, and as a whole body. */
export function hostileRequests(endpoint: Endpoint): HostileRequest[] {
  const [valid] = fc.sample(validRequests(endpoint), { numRuns: 1, seed: 1 })
  if (valid === undefined) throw new Error('fast-check generated no request')
  return Object.entries(pieces).flatMap(([name, piece]) =>
    [...inTarget(endpoint, valid, piece), ...inBody(endpoint, valid, piece)].map(({ what, request }) => ({
      what: `${name} in ${what}`,
      request,
    })),
  )
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

const textMax = 4_000

/** The value with hostile text in place of its texts. `isAllowed`: only where no rule but a length applies. */
function filledWith(shape: JsonSchema, value: unknown, piece: string, isAllowed: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => filledWith(shape.items ?? {}, item, piece, isAllowed))
  if (typeof value === 'object' && value !== null) {
    const { additionalProperties, properties } = shape
    const ofRecord = typeof additionalProperties === 'object' ? additionalProperties : {}
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        filledWith(properties?.[name] ?? ofRecord, inner, piece, isAllowed),
      ]),
    )
  }
  if (typeof value !== 'string') return value
  const text = shape.anyOf?.find(({ type }) => type === 'string') ?? shape
  const { maxLength = textMax, type, format, pattern, examples } = text
  const isFree =
    type === 'string' && [format, pattern, text.enum, text.const, examples].every((rule) => rule === undefined)
  if (isAllowed && (!isFree || maxLength <= piece.length)) return value
  return repeated(piece, Math.max(1, Math.min(maxLength, textMax)))
}

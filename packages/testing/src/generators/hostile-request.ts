import { bodyBytesLimit, type Endpoint } from '@payments/contracts/grammar/contract'
import fc from 'fast-check'
import { type GeneratedRequest, validRequests } from './broken-request.ts'
import { pieces, repeatPiece } from './hostile-text.ts'
import { type HostileValues, hostileValues } from './hostile-value.ts'

/** A request of an endpoint with long hostile texts: in path, query or body, or as a whole body. */
export interface HostileRequest {
  readonly what: string
  readonly request: GeneratedRequest
}

export function hostileRequests(endpoint: Endpoint): HostileRequest[] {
  const [valid] = fc.sample(validRequests(endpoint), { numRuns: 1, seed: 1 })
  if (valid === undefined) throw new Error('fast-check generated no request')
  const queries = hostileValues(endpoint.query, targetMax, bytesOfQuery)
  const bodies = hostileValues(endpoint.body, bodyBytesLimit(endpoint), bytesOfJson)
  const texts = Object.entries(pieces).flatMap(([name, piece]) =>
    [...inTarget(endpoint, valid, queries, piece), ...inBody(endpoint, valid, bodies, piece)].map((one) => ({
      ...one,
      what: `${name} in ${one.what}`,
    })),
  )
  return [...texts, ...withManyValues(endpoint, valid)]
}

/** As many values as the body can have: unknown fields, and items or members in place of the value of each field. */
function withManyValues(endpoint: Endpoint, valid: GeneratedRequest): HostileRequest[] {
  if (endpoint.body === undefined || typeof valid.body !== 'string') return []
  const names = ['unknown', ...Object.keys(JSON.parse(valid.body))]
  const valuesMax = bodyBytesLimit(endpoint) / 12
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, 0]))
  const inEach = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]))
  const bodies = {
    'many unknown fields': members(valuesMax),
    'many items in each field': inEach(Array(Math.floor((5 * valuesMax) / names.length)).fill(0)),
    'many members in each field': inEach(members(Math.floor(valuesMax / names.length))),
  }
  return Object.entries(bodies).map(([what, body]) => {
    return { what, request: { ...valid, body: JSON.stringify(body) } }
  })
}

/** Bytes of the request line, of the 16 KiB that it shares with the headers. */
const targetMax = 6_000

/** The piece, percent-encoded and repeated to at most `length` bytes. */
const encodeRepeated = (piece: string, length: number) => repeatPiece(encodeURIComponent(piece), length)

function inTarget({ path, query }: Endpoint, valid: GeneratedRequest, queries: HostileValues, piece: string) {
  const names = ['unknown', ...Object.keys(query?.shape ?? {})]
  const each = Math.floor(targetMax / names.length) - 20
  const [plain = ''] = valid.target.split('?', 1)
  const params = path.match(/\{\w+\}/g) ?? ['']
  const inPath = path.replaceAll(/\{\w+\}/g, encodeRepeated(piece, Math.floor(targetMax / params.length)))
  const targets = {
    'the query': `${plain}?${names.map((name) => `${name}=${encodeRepeated(piece, each)}`).join('&')}`,
    ...(inPath === path ? {} : { 'the path': inPath }),
  }
  const values = queries(piece).accepted.map(
    ({ what, value }) => [`the query: ${what}`, `${plain}?${formatQuery(value)}`] as const,
  )
  return [...Object.entries(targets), ...values].map(([what, target]): HostileRequest => {
    return { what, request: { ...valid, target } }
  })
}

const formatQuery = (value: unknown) => new URLSearchParams(Object.entries(value as object)).toString()
const bytesOfQuery = (value: unknown) => formatQuery(value).length
const bytesOfJson = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

function inBody(endpoint: Endpoint, valid: GeneratedRequest, bodies: HostileValues, piece: string): HostileRequest[] {
  const longest = repeatPiece(piece, bodyBytesLimit(endpoint) / 4)
  if (endpoint.rawBody !== undefined) {
    const headers = { ...valid.headers, 'content-type': 'application/x-www-form-urlencoded' }
    const raw = { 'a raw body': longest, 'a form': `a=${encodeURIComponent(longest)}`.slice(0, longest.length) }
    return Object.entries(raw).map(([what, body]) => ({ what, request: { ...valid, headers, body } }))
  }
  if (endpoint.body === undefined) return []
  const unknown = { what: 'an unknown field', value: { [longest.slice(0, 1_000)]: longest } }
  const { accepted, others } = bodies(piece)
  return [...accepted, ...others, unknown].map(({ what, value }) => {
    return { what, request: { ...valid, body: JSON.stringify(value) } }
  })
}

import { randomUUID } from 'node:crypto'
import type { Endpoint } from '@payments/contracts/grammar/contract'
import { inputSchemaOf, type JsonSchema } from '@payments/contracts/grammar/json-schema'
import fc from 'fast-check'
import { arbitraryOf, arbitraryOfShape } from './arbitrary.ts'
import { escaped, locationsOf, type Path, pointerOf, strangeNames, written } from './body-location.ts'
import { brokenText } from './broken-value.ts'

/**
 * Requests from the contract of an endpoint: valid ones, and for each location and each defect a request that is valid
 * otherwise.
 */
export interface GeneratedRequest {
  readonly target: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string | Buffer | undefined
}

export interface ExpectedRejection {
  readonly status: number
  readonly code: string
  /** `errors` names this location or one below it. */
  readonly pointer?: string
}

export interface Breakage {
  readonly what: string
  readonly request: fc.Arbitrary<GeneratedRequest>
  readonly rejection: ExpectedRejection
}

const bodyBytesMax = 256 * 1024

export function validRequests(endpoint: Endpoint): fc.Arbitrary<GeneratedRequest> {
  return parts(endpoint, { query: texts(endpoint.query), body: bodyTexts(endpoint) })
}

export function breakagesOf(endpoint: Endpoint): Breakage[] {
  return [
    ...(endpoint.params === undefined ? [] : brokenPaths(endpoint, inputSchemaOf(endpoint.params))),
    ...brokenQueries(endpoint, endpoint.query === undefined ? {} : inputSchemaOf(endpoint.query)),
    ...(endpoint.body === undefined ? [] : brokenBodies(endpoint, inputSchemaOf(endpoint.body))),
    ...(endpoint.idempotent === true ? brokenIdempotencyKeys(endpoint) : []),
  ]
}

interface Parts {
  readonly path?: fc.Arbitrary<string>
  readonly query?: fc.Arbitrary<Readonly<Record<string, string>>>
  readonly search?: fc.Arbitrary<string>
  readonly headers?: fc.Arbitrary<GeneratedRequest['headers']>
  readonly body?: fc.Arbitrary<string | Buffer | undefined>
}

/** A request with the given parts; the other parts are valid. */
function parts(endpoint: Endpoint, given: Parts): fc.Arbitrary<GeneratedRequest> {
  const body = given.body ?? bodyTexts(endpoint)
  const search = given.search ?? (given.query ?? fc.constant({})).map((query) => new URLSearchParams(query).toString())
  const headers = given.headers ?? fc.constant({})
  return fc.record({ path: given.path ?? paths(endpoint), search, headers, body }).map(
    ({ path, search, headers, body }): GeneratedRequest => ({
      target: search === '' ? path : `${path}?${search}`,
      headers: { ...(endpoint.body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      body,
    }),
  )
}

function paths(endpoint: Endpoint, written: Readonly<Record<string, string>> = {}): fc.Arbitrary<string> {
  const place = (params: Readonly<Record<string, string>>) =>
    endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name) => written[name] ?? encodeURIComponent(params[name] ?? ''))
  return texts(endpoint.params).map(place)
}

/** Fields of a path or a query, which are text whatever the schema makes of them. */
function texts(schema: Endpoint['params']): fc.Arbitrary<Record<string, string>> {
  if (schema === undefined) return fc.constant({})
  return arbitraryOf(schema).map((fields) =>
    Object.fromEntries(Object.entries(fields as object).map(([name, value]) => [name, String(value)])),
  )
}

function bodyTexts({ body }: Endpoint): fc.Arbitrary<string | undefined> {
  return body === undefined ? fc.constant(undefined) : arbitraryOf(body).map((value) => JSON.stringify(value))
}

const invalid = (pointer: string): ExpectedRejection => ({ status: 400, code: 'invalid_request', pointer })

function brokenPaths(endpoint: Endpoint, { properties = {} }: JsonSchema): Breakage[] {
  const undecodable = fc.constantFrom('%', '%zz', '%ff', '%ed%a0%80', '%c0%af')
  return Object.entries(properties).flatMap(([name, shape]): Breakage[] => [
    ...brokenText(shape)
      .filter(({ what }) => what !== 'no text')
      .map(({ what, text }) => ({
        what: `${name} in the path, ${what}`,
        request: parts(endpoint, {
          // An empty segment, or one with a slash, is another path.
          path: text.filter((one) => one !== '').chain((one) => paths(endpoint, { [name]: encodeURIComponent(one) })),
        }),
        rejection: invalid(`/path/${name}`),
      })),
    {
      what: `${name} in the path, bytes that are no text`,
      request: parts(endpoint, { path: undecodable.chain((one) => paths(endpoint, { [name]: one })) }),
      rejection: invalid('/path'),
    },
  ])
}

function brokenQueries(endpoint: Endpoint, { properties = {} }: JsonSchema): Breakage[] {
  const unknown = strangeNames.filter((name) => name !== '' && !Object.hasOwn(properties, name))
  return [
    ...Object.entries(properties).flatMap(([name, shape]): Breakage[] => [
      ...brokenText(shape).map(({ what, text }) => ({
        what: `${name} in the query, ${what}`,
        request: parts(endpoint, { query: text.map((one) => ({ [name]: one })) }),
        rejection: invalid(`/query/${name}`),
      })),
      {
        what: `${name} in the query, given twice`,
        request: parts(endpoint, {
          search: arbitraryOfShape(shape, true).map((one) =>
            Array(2)
              .fill(`${name}=${encodeURIComponent(String(one))}`)
              .join('&'),
          ),
        }),
        rejection: invalid(`/query/${name}`),
      },
    ]),
    ...unknown.map((name) => ({
      what: `${name} in the query, unknown`,
      request: parts(endpoint, { search: fc.constant(`${encodeURIComponent(name)}=1`) }),
      rejection: invalid(`/query/${escaped(name)}`),
    })),
  ]
}

function brokenBodies(endpoint: Endpoint, shape: JsonSchema): Breakage[] {
  const complete = arbitraryOfShape(shape, true)
  const wholes = brokenWholes(complete)
  return [
    ...wholes.map(({ what, body, headers = {}, rejection }) => ({
      what: `the body ${what}`,
      request: parts(endpoint, { body, headers: fc.constant(headers) }),
      rejection,
    })),
    ...locationsOf(shape).flatMap(({ path, broken }) =>
      broken.map(({ what, text }) => ({
        what: `${pointerOf(path) || 'the body'}, ${what}`,
        request: parts(endpoint, {
          body: fc.tuple(complete, text).map(([value, broken]) => written(value, path, broken)),
        }),
        rejection: invalid(pointerOf(path)),
      })),
    ),
    ...locationsOf(shape).flatMap(({ path }) => duplicatesAt(endpoint, complete, path)),
  ]
}

/** The member at the end of the path given twice, and a value that holds a duplicate further down. */
function duplicatesAt(endpoint: Endpoint, complete: fc.Arbitrary<unknown>, path: Path): Breakage[] {
  const name = path.at(-1)
  if (typeof name !== 'string') return []
  const escapedName = name.replaceAll(/[\s\S]/g, unicodeEscape)
  const texts = {
    'given twice': `0,${JSON.stringify(name)}:0`,
    'given twice, once escaped': `0,"${escapedName}":0`,
    'with a duplicate within': '{"list":[0,{"member":1,"other":2,"m\\u0065mber":3}]}',
  }
  return Object.entries(texts).map(([what, text]) => ({
    what: `${pointerOf(path)}, ${what}`,
    request: parts(endpoint, { body: complete.map((value) => written(value, path, text)) }),
    rejection: invalid(pointerOf(path)),
  }))
}

const unicodeEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

interface Whole {
  readonly what: string
  readonly body: fc.Arbitrary<string | Buffer>
  readonly headers?: Readonly<Record<string, string>>
  readonly rejection: ExpectedRejection
}

function brokenWholes(complete: fc.Arbitrary<unknown>): Whole[] {
  const text = complete.map((value) => JSON.stringify(value))
  const notJson = [
    '{',
    '{}}',
    '[',
    "{'a':1}",
    '{a:1}',
    '{"a":NaN}',
    '{"a":1,}',
    '{"a":01}',
    '// nothing',
    'undefined',
    ' ',
    '"\u0001"',
    '{"a":"\\x41"}',
  ]
  const truncated = fc
    .tuple(text, fc.nat())
    .filter(([whole]) => whole.length > 1)
    .map(([whole, at]) => whole.slice(0, 1 + (at % (whole.length - 1))))
  const otherTypes = ['text/plain', 'application/xml', 'application/jsonx', 'application/x-www-form-urlencoded', '*/*']
  const charsets = ['utf-16', 'latin1', 'us-ascii', 'nonsense'].map((name) => `application/json; charset=${name}`)
  const unsupported: ExpectedRejection = { status: 415, code: 'unsupported_media_type' }
  return [
    { what: 'is not JSON', body: fc.constantFrom(...notJson), rejection: invalid('') },
    { what: 'is cut off', body: truncated, rejection: invalid('') },
    {
      what: 'has bytes that are not UTF-8',
      body: fc
        .constantFrom('ff', 'c0af', 'eda080', 'f4908080', '80')
        .map((bytes) => Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes, 'hex'), Buffer.from('"}')])),
      rejection: invalid(''),
    },
    {
      what: 'has the same member twice',
      body: fc.constantFrom('{"a":1,"a":1}', '{"a":1,"b":2,"\\u0061":3}', ' { "a" : [ ] , "a" : { } } '),
      rejection: invalid('/a'),
    },
    {
      what: 'is huge',
      body: fc.integer({ min: bodyBytesMax, max: 4 * bodyBytesMax }).map((bytes) => `"${'a'.repeat(bytes)}"`),
      rejection: { status: 413, code: 'payload_too_large' },
    },
    ...[...otherTypes, ...charsets, ''].map((type) => ({
      what: `is declared as "${type}"`,
      body: text,
      headers: { 'content-type': type },
      rejection: unsupported,
    })),
    ...['gzip', 'br', 'nonsense'].map((coding) => ({
      what: `is encoded as ${coding}`,
      body: text,
      headers: { 'content-encoding': coding },
      rejection: unsupported,
    })),
  ]
}

function brokenIdempotencyKeys(endpoint: Endpoint): Breakage[] {
  const keys = ['', 'a b', 'é', 'x'.repeat(256), [randomUUID(), randomUUID()]]
  return [
    {
      what: 'Idempotency-Key',
      request: parts(endpoint, { headers: fc.constantFrom(...keys).map((key) => ({ 'idempotency-key': key })) }),
      rejection: { status: 400, code: 'invalid_header', pointer: '/headers/Idempotency-Key' },
    },
  ]
}

import { randomUUID } from 'node:crypto'
import type { Endpoint } from '@payments/contracts/grammar/contract'
import { type JsonSchema, toInputSchema } from '@payments/contracts/grammar/json-schema'
import fc from 'fast-check'
import { arbitraryOfShape, arbitraryValue } from './arbitrary.ts'
import { findLocations, toPointer, writeBody } from './body-location.ts'
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

export function validRequests(endpoint: Endpoint): fc.Arbitrary<GeneratedRequest> {
  return parts(endpoint, { query: texts(endpoint.query), body: bodyTexts(endpoint) })
}

/** Requests that the schemas of this endpoint reject. Those of `parser-breakage.ts` do not reach the schemas. */
export function listBreakages(endpoint: Endpoint): Breakage[] {
  return [
    ...(endpoint.params === undefined ? [] : brokenPaths(endpoint, toInputSchema(endpoint.params))),
    ...brokenQueries(endpoint, endpoint.query === undefined ? {} : toInputSchema(endpoint.query)),
    ...(endpoint.body === undefined ? [] : brokenBodies(endpoint, toInputSchema(endpoint.body))),
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
export function parts(endpoint: Endpoint, given: Parts): fc.Arbitrary<GeneratedRequest> {
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

export function paths(endpoint: Endpoint, written: Readonly<Record<string, string>> = {}): fc.Arbitrary<string> {
  const place = (params: Readonly<Record<string, string>>) =>
    endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name) => written[name] ?? encodeURIComponent(params[name] ?? ''))
  return texts(endpoint.params).map(place)
}

/** Fields of a path or a query, which are text whatever the schema makes of them. */
function texts(schema: Endpoint['params']): fc.Arbitrary<Record<string, string>> {
  if (schema === undefined) return fc.constant({})
  return arbitraryValue(schema).map((fields) =>
    Object.fromEntries(Object.entries(fields as object).map(([name, value]) => [name, String(value)])),
  )
}

function bodyTexts({ body }: Endpoint): fc.Arbitrary<string | undefined> {
  return body === undefined ? fc.constant(undefined) : arbitraryValue(body).map((value) => JSON.stringify(value))
}

export const invalid = (pointer: string): ExpectedRejection => ({ status: 400, code: 'invalid_request', pointer })

function brokenPaths(endpoint: Endpoint, { properties = {} }: JsonSchema): Breakage[] {
  return Object.entries(properties).flatMap(([name, shape]) =>
    brokenText(shape)
      .filter(({ what }) => what !== 'no text')
      .map(({ what, text }) => ({
        what: `${name} in the path, ${what}`,
        request: parts(endpoint, {
          // An empty segment, or one with a slash, is another path.
          path: text.filter((one) => one !== '').chain((one) => paths(endpoint, { [name]: encodeURIComponent(one) })),
        }),
        rejection: invalid(`/path/${name}`),
      })),
  )
}

function brokenQueries(endpoint: Endpoint, { properties = {} }: JsonSchema): Breakage[] {
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
    {
      what: 'no_such_field in the query, unknown',
      request: parts(endpoint, { search: fc.constant('no_such_field=1') }),
      rejection: invalid('/query/no_such_field'),
    },
  ]
}

function brokenBodies(endpoint: Endpoint, shape: JsonSchema): Breakage[] {
  const complete = arbitraryOfShape(shape, true)
  return [
    // Only the strict parser rejects it: the endpoint uses that parser.
    {
      what: 'the body has a valid member twice',
      request: parts(endpoint, {
        body: bodyTexts(endpoint)
          .filter((text) => text !== '{}')
          .map(firstMemberTwice),
      }),
      rejection: invalid(''),
    },
    ...findLocations(shape).flatMap(({ path, broken }) =>
      broken.map(({ what, text }) => ({
        what: `${toPointer(path) || 'the body'}, ${what}`,
        request: parts(endpoint, {
          body: fc.tuple(complete, text).map(([value, broken]) => writeBody(value, path, broken)),
        }),
        rejection: invalid(toPointer(path)),
      })),
    ),
  ]
}

function firstMemberTwice(body = ''): string {
  const [[name, value] = ['', '']] = Object.entries<unknown>(JSON.parse(body))
  return `{${JSON.stringify(name)}:${JSON.stringify(value)},${body.slice(1)}`
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

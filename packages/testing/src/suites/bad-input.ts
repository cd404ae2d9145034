import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { assertionHeader } from '@payments/chassis/assertion/assertion'
import type { Contract, Endpoint } from '@payments/contracts/grammar/contract'
import { type JsonSchema, toInputSchema } from '@payments/contracts/grammar/json-schema'
import { permissionNames } from '@payments/contracts/grammar/permission'
import { commonProblems, problemBody } from '@payments/contracts/grammar/problem'
import fc from 'fast-check'
import { browserAt, issuerFor } from '../calls/edges.ts'
import { type Listening, listening, type RawReply } from '../calls/raw-request.ts'
import { type SignedCall, signCall } from '../calls/signed-call.ts'
import { type Rows, readRows } from '../database/rows.ts'
import { escapeStep } from '../generators/body-location.ts'
import {
  type Breakage,
  type ExpectedRejection,
  type GeneratedRequest,
  listBreakages,
  validRequests,
} from '../generators/broken-request.ts'
import { type HostileRequest, hostileRequests } from '../generators/hostile-request.ts'
import { type HostileHeader, hostileHeaders } from '../generators/hostile-text.ts'
import { listParserBreakages } from '../generators/parser-breakage.ts'
import { findTextFields } from '../generators/text-field.ts'
import { slowWorks } from '../runner/held-time.ts'
import type { Subject } from './contract-suite.ts'

/**
 * **What it does.** Tests every endpoint of a contract with input generated from the contract: valid requests, and
 * requests with exactly one defect, and long hostile texts.
 *
 * **Guarantees.** A request with a defect gets a problem that names the defect, and no table changes. A valid request
 * gets a response that the endpoint declares. Neither gets a 5xx. In `npm run test:all` no hostile text
 * holds the event loop for 20 ms. Input is random in each run; a failure prints the seed and the path of fast-check.
 *
 * **Not guaranteed.** Rules of a verb (422, 409): the tests of the verb cover them.
 */
export interface BadInputSubject extends Subject {
  readonly database: { readonly ownerUrl: string }
}

/** Per defect and location; an endpoint with a body has dozens. */
const runsPerBreakage = 1
const validRuns = 3
/** One tenant sends the requests that name the same resources again. */
const tenantOfRepeats = randomUUID()
/** They take half of the time of a suite. */
const sendsHostileTexts = process.env['TEST_HOSTILE_TEXTS'] !== undefined

export function badInputSuite(contract: Contract, subject: () => BadInputSubject): void {
  describe('given any input', () => {
    let server: Listening
    let rows: Rows
    beforeAll(async () => {
      server = await listening(subject().app)
      rows = await readRows(subject().database.ownerUrl)
    })
    afterAll(async () => {
      await server.stop()
      await rows.stop()
    })

    const sendTo = (endpoint: Endpoint, tenantId?: string) => {
      return async ({ target, headers, body }: GeneratedRequest) => {
        const assertion = signAssertion(contract, endpoint, subject(), { path: target, body, tenantId })
        const signed = { ...headers, [assertionHeader]: assertion }
        return server.send({ method: endpoint.method, target, headers: signed, body })
      }
    }

    test.each(parsedBy(contract))('the parsers of %s reject what is no request, and name the location', (_, endpoint) =>
      rejectsBroken(endpoint, sendTo(endpoint), rows.digest, listParserBreakages(endpoint)),
    )

    describe.each(Object.entries(contract.endpoints))('%s', (_name, endpoint) => {
      const send = sendTo(endpoint)

      test('returns a declared response for every valid request', () => acceptsValid(endpoint, send))

      // A page ignores what it does not know, and responds with a page to every value of its path.
      if (endpoint.page !== undefined) return

      test('rejects a request with a defect, names the location and changes nothing', () =>
        rejectsBroken(endpoint, send, rows.digest))

      test('bounds every text and every list', () => {
        const schemas = [endpoint.params, endpoint.query, endpoint.body].filter((schema) => schema !== undefined)
        expect(schemas.flatMap((schema) => findUnbounded(toInputSchema(schema)))).toEqual([])
      })
    })

    if (!sendsHostileTexts) return

    test.each(Object.entries(contract.endpoints))(
      '%s never holds the event loop for long, whatever text it reads',
      (_, endpoint) => readsQuickly(endpoint, sendTo(endpoint, tenantOfRepeats)),
    )

    test.each(findHeaderReaders(contract))(
      '%s never holds the event loop for long, whatever header it reads',
      (_, one, names) => readsHeadersQuickly(one, sendTo(one, tenantOfRepeats), hostileHeaders(names)),
    )
  })
}

/** The first endpoint with a body and the first with parameters in its path: together they meet every parser. */
function parsedBy({ endpoints }: Contract): [string, Endpoint][] {
  const candidates = Object.entries(endpoints).filter(([, { page }]) => page === undefined)
  const found = [
    candidates.find(([, { body }]) => body !== undefined),
    candidates.find(([, { params }]) => params !== undefined),
  ]
  return [...new Set(found)].filter((one) => one !== undefined)
}

/** One endpoint that meets every parser, and one page, with every header; others with the headers that they get. */
function findHeaderReaders(contract: Contract): [string, Endpoint, readonly string[] | undefined][] {
  const endpoints = Object.entries(contract.endpoints)
  const first = [parsedBy(contract)[0], endpoints.find((named) => named[1].page !== undefined)]
  const names = first.map((named) => named?.[0])
  return endpoints.flatMap(([name, endpoint]): [string, Endpoint, readonly string[] | undefined][] => {
    if (names.includes(name)) return [[name, endpoint, undefined]]
    const headers = endpoint.rawBody?.headers ?? []
    return headers.length === 0 ? [] : [[name, endpoint, headers]]
  })
}

type Send = (request: GeneratedRequest) => Promise<RawReply>

export function acceptsValid(endpoint: Endpoint, send: Send): Promise<void> {
  const property = fc.asyncProperty(validRequests(endpoint), async (request) =>
    expectDeclared(await send(request), endpoint),
  )
  return fc.assert(property, { numRuns: validRuns })
}

export async function readsQuickly(endpoint: Endpoint, send: Send): Promise<void> {
  const requests = hostileRequests(endpoint)
  expect(textsNeverLong(endpoint, requests)).toEqual([])
  await sendsQuickly(send, requests)
}

/** Locations of texts of the body that are hostile in no request. */
function textsNeverLong({ body }: Endpoint, requests: readonly HostileRequest[]): string[] {
  if (body === undefined) return []
  const sent = new Set(requests.flatMap(({ request }) => hostileLocations(JSON.parse(String(request.body)))))
  const isSent = (location: string) => {
    const pattern = new RegExp(`^${location.replaceAll('*', '[^/]+')}$`)
    return [...sent].some((one) => pattern.test(one))
  }
  return findTextFields(toInputSchema(body)).flatMap(([, location]) => (isSent(location) ? [] : [location]))
}

function hostileLocations(value: unknown, at = ''): string[] {
  if (typeof value === 'string') return value.endsWith('!') ? [at] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => hostileLocations(inner, `${at}/${escapeStep(name)}`))
}

/** A valid request with one long header. */
async function readsHeadersQuickly(endpoint: Endpoint, send: Send, hostile: readonly HostileHeader[]): Promise<void> {
  const [valid] = fc.sample(validRequests(endpoint), { numRuns: 1, seed: 1 })
  if (valid === undefined) throw new Error('fast-check generated no request')
  const requests = hostile.map(({ what, headers }) => {
    return { what, request: { ...valid, headers: { ...valid.headers, ...headers } } }
  })
  await sendsQuickly(send, requests)
}

async function sendsQuickly(send: Send, requests: readonly HostileRequest[]): Promise<void> {
  const works = requests.map(({ what, request }): [string, () => Promise<void>] => [
    what,
    async () => expect((await send(request)).status).toBeLessThan(500),
  ])
  expect(await slowWorks(works)).toEqual([])
}

/**
 * `look` reads everything that a request could change. One reading costs as much as several requests, so it runs once
 * after all requests. After a change it runs per request, to find the culprit.
 */
export async function rejectsBroken(
  endpoint: Endpoint,
  send: Send,
  look: Rows['digest'],
  breakages: readonly Breakage[] = listBreakages(endpoint),
): Promise<void> {
  const refusesAll = async (refused: () => Promise<void>) => {
    for (const breakage of breakages) await refuses(endpoint, send, breakage, refused)
  }
  const before = await look()
  await refusesAll(async () => {})
  const after = await look()
  if (isDeepStrictEqual(after, before)) return
  await refusesAll(async () => expect(await look()).toEqual(after))
  expect(after).toEqual(before)
}

async function refuses(
  endpoint: Endpoint,
  send: Send,
  { what, request, rejection }: Breakage,
  refused: () => Promise<void>,
): Promise<void> {
  const property = fc.asyncProperty(request.map(legible), async (broken) => {
    expectRejection(await send(broken), rejection)
    await refused()
  })
  await fc.assert(property, { numRuns: runsPerBreakage }).catch((cause) => {
    throw new Error(`${endpoint.method} ${endpoint.path}: ${what}\n${(cause as Error).message}`, { cause })
  })
}

function expectDeclared(reply: RawReply, endpoint: Endpoint): void {
  if (endpoint.page !== undefined) return expect(endpoint.page).toContain(reply.status)
  expect(reply.status).toBeLessThan(500)
  if (reply.status < 400) return
  const { code, errors = [] } = problemIn(reply)
  expect([...(endpoint.problems ?? []), ...Object.keys(commonProblems)]).toContain(code)
  // A rule over several fields belongs to the verb, which names the fields.
  if (code === 'invalid_request') expect(errors).not.toEqual([])
}

function expectRejection(reply: RawReply, { status, code, pointer }: ExpectedRejection): void {
  const problem = problemIn(reply)
  expect([reply.status, problem.code]).toEqual([status, code])
  if (pointer === undefined) return
  const named = problem.errors?.map((error) => error.pointer) ?? []
  const isWithin = named.some((one) => one === pointer || one.startsWith(`${pointer}/`))
  expect({ pointer, named, isWithin }).toEqual({ pointer, named, isWithin: true })
}

function problemIn(reply: RawReply) {
  expect(reply.headers['content-type']).toMatch(/^application\/problem\+json\b/)
  const problem = problemBody.parse(JSON.parse(reply.text))
  expect([problem.status, problem.trace_id]).toEqual([reply.status, reply.headers['trace-id']])
  return problem
}

/** A new tenant per request where none is given, with every permission. */
function signAssertion(
  contract: Contract,
  endpoint: Endpoint,
  { edgeKey }: Subject,
  { tenantId = randomUUID(), ...call }: Pick<SignedCall, 'path' | 'body'> & { readonly tenantId: string | undefined },
): string {
  const type = ({ internal: 'service', public: 'anonymous', authenticated: 'user', tenant: 'user' } as const)[
    endpoint.audience
  ]
  const claims = {
    tenantId: type === 'user' ? tenantId : null,
    actor: { type, id: type === 'service' ? issuerFor(endpoint) : randomUUID() },
    permissions: type === 'user' ? permissionNames : [],
    ...browserAt(endpoint),
    traceId: randomUUID(),
  }
  return signCall(contract, edgeKey, claims, { method: endpoint.method, ...call })
}

const shownMax = 500

/** Text for a failure message, shortened. */
function legible(request: GeneratedRequest): GeneratedRequest {
  const show = () => JSON.stringify({ ...request, body: request.body?.toString('latin1').slice(0, shownMax) })
  return Object.assign({ ...request }, { [fc.toStringMethod]: show })
}

/** Fields that only the request limits. */
function findUnbounded(shape: JsonSchema, at = ''): string[] {
  const inner = [
    ...(shape.anyOf ?? []).map((alternative) => findUnbounded(alternative, at)),
    ...Object.entries(shape.properties ?? {}).map(([name, property]) => findUnbounded(property, `${at}/${name}`)),
    ...(shape.items === undefined ? [] : [findUnbounded(shape.items, `${at}/0`)]),
    ...(typeof shape.additionalProperties === 'object' ? [findUnbounded(shape.additionalProperties, `${at}/*`)] : []),
  ].flat()
  const isFixed = [shape.maxLength, shape.pattern, shape.format, shape.const, shape.enum].some(
    (one) => one !== undefined,
  )
  if (shape.type === 'string' && !isFixed) return [`${at} is text of any length`]
  if (shape.type === 'array' && shape.maxItems === undefined) return [`${at} is a list of any length`, ...inner]
  return inner
}

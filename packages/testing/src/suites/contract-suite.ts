import { createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import {
  type Assertion,
  assertionHeader,
  type SignedRequest,
  signAssertion,
} from '@payments/chassis/assertion/assertion'
import type { App } from '@payments/chassis/request/app'
import type { Contract, Endpoint } from '@payments/contracts/grammar/contract'
import { permissionNames } from '@payments/contracts/grammar/permission'
import request, { type Test } from 'supertest'
import { issuerFor, issuers } from '../calls/edges.ts'
import { signCall } from '../calls/signed-call.ts'

/** A service under test: its app, and the key with which it verifies every process (`keysOfEveryProcess`). */
export interface Subject {
  readonly app: App
  readonly edgeKey: KeyObject
}

/**
 * Tests of every endpoint of a contract: a request needs an assertion for exactly this request and the permission, and
 * a malformed request is a 400 that names the field.
 */
export function contractSuite(contract: Contract, subject: () => Subject): void {
  describe.each(Object.entries(contract.endpoints))('%s', (name, endpoint) => {
    assertionTests(contract, name, endpoint, subject)
    if (endpoint.params !== undefined && endpoint.page === undefined) {
      test('names a malformed path parameter', async () => {
        const malformed = endpoint.path.replaceAll(/\{\w+\}/g, '%00')
        const reply = await call(contract, endpoint, subject(), { path: malformed })
        expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
        expect(reply.body.errors[0].pointer).toMatch(/^\/path\//)
      })
    }
    if (endpoint.page === undefined) queryTest(contract, endpoint, subject)
    if (endpoint.body !== undefined) bodyTests(contract, endpoint, subject)
  })
}

/** A page ignores unknown parameters. */
function queryTest(contract: Contract, endpoint: Endpoint, subject: () => Subject): void {
  test('names an unknown query parameter', async () => {
    const reply = await call(contract, endpoint, subject(), { path: `${plausible(endpoint)}?no_such_field=1` })
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
    expect(reply.body.errors).toContainEqual({ pointer: '/query/no_such_field', detail: 'is not a known field' })
  })
}

function assertionTests(contract: Contract, operation: string, endpoint: Endpoint, subject: () => Subject): void {
  test('rejects a request without an assertion, with a forged one, or with one for another request', async () => {
    const { app, edgeKey } = subject()
    const path = plausible(endpoint)
    const { method } = endpoint
    const right: SignedRequest = { method, path, operation }
    const sign = (key: KeyObject, signed: Partial<SignedRequest>, audience = contract.service) =>
      signAssertion(assertionFor(endpoint), { issuer: issuerFor(endpoint), audience, key }, { ...right, ...signed })
    const forgeries = [
      undefined,
      'nonsense',
      sign(createSecretKey(randomBytes(32)), {}),
      sign(edgeKey, { path: `${path}/` }),
      sign(edgeKey, { method: method === 'GET' ? 'POST' : 'GET' }),
      sign(edgeKey, { operation: 'anotherOperation' }),
      sign(edgeKey, { body: Buffer.from('{}') }),
      sign(edgeKey, {}, 'another-service'),
    ]
    for (const forgery of forgeries) {
      const sent = send(app, endpoint.method, path)
      const reply = await (forgery === undefined ? sent : sent.set(assertionHeader, forgery))
      expect([reply.status, reply.body.code]).toEqual([401, 'invalid_credentials'])
    }
  })

  test('rejects every process that may not call it, with every actor', async () => {
    const { app, edgeKey } = subject()
    const path = plausible(endpoint)
    const allowed = endpoint.callers ?? ['gateway']
    const responses: Record<string, unknown> = {}
    for (const [claim, { issuer, assertion }] of Object.entries(impersonations(endpoint, allowed))) {
      const edge = { issuer, audience: contract.service, key: edgeKey }
      const token = signAssertion(assertion, edge, { method: endpoint.method, path, operation })
      const reply = await send(app, endpoint.method, path).set(assertionHeader, token)
      responses[claim] = [reply.status, reply.body.code]
    }
    const refused = Object.keys(responses).map((claim) => [claim, [401, 'invalid_credentials']])
    expect(responses).toEqual(Object.fromEntries(refused))
  })

  if (endpoint.audience === 'authenticated' || endpoint.audience === 'public') {
    test('needs no permission', async () => {
      const assertion = { ...assertionFor(endpoint), permissions: [] }
      const reply = await call(contract, endpoint, subject(), { assertion })
      expect([401, 403]).not.toContain(reply.status)
    })
    return
  }

  test(endpoint.permission === undefined ? 'is closed to tenants' : `needs ${endpoint.permission}`, async () => {
    const others = permissionNames.filter((name) => name !== endpoint.permission)
    const assertion = { ...assertionFor(endpoint, 'tenant'), permissions: others }
    const reply = await call(contract, endpoint, subject(), { assertion })
    expect([reply.status, reply.body.code]).toEqual(
      endpoint.permission === undefined ? [401, 'invalid_credentials'] : [403, 'permission_denied'],
    )
  })
}

/**
 * Assertions that a process could sign with its own key and must not use here, by description: as itself, as a process
 * that may call, as a tenant.
 */
function impersonations(endpoint: Endpoint, allowed: readonly string[]) {
  const claims: Record<string, { issuer: string; assertion: Assertion }> = {}
  for (const issuer of issuers) {
    const itself = { ...assertionFor(endpoint, 'service'), actor: { type: 'service', id: issuer } } as const
    if (endpoint.audience !== 'internal' || !allowed.includes(issuer)) {
      claims[`${issuer} as itself`] = { issuer, assertion: { ...itself, permissions: permissionNames } }
    }
    for (const other of allowed.filter((one) => one !== issuer)) {
      const assertion = { ...itself, actor: { type: 'service' as const, id: other } }
      claims[`${issuer} as ${other}`] = { issuer, assertion }
    }
    if (issuer === 'gateway' && endpoint.audience !== 'internal' && endpoint.audience !== 'public') continue
    const tenant = assertionFor(endpoint, 'tenant')
    for (const type of ['api_key', 'user'] as const) {
      claims[`${issuer} as ${type}`] = { issuer, assertion: { ...tenant, actor: { type, id: randomUUID() } } }
    }
  }
  return claims
}

function bodyTests(contract: Contract, endpoint: Endpoint, subject: () => Subject): void {
  test.each([
    ['is not JSON', '{"a":', ''],
    ['is not an object', '[1]', ''],
    ['has an unknown field', '{"no_such_field":1}', '/no_such_field'],
  ])('names what is wrong with a body that %s', async (_case, body, pointer) => {
    const reply = await call(contract, endpoint, subject(), { body })
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
    expect(reply.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
  })

  test('rejects a body that is not declared as JSON, and a body of more than 256 KiB', async () => {
    const xml = await call(contract, endpoint, subject(), { body: '<a/>', contentType: 'application/xml' })
    expect([xml.status, xml.body.code]).toEqual([415, 'unsupported_media_type'])
    const large = await call(contract, endpoint, subject(), { body: `"${'a'.repeat(256 * 1024)}"` })
    expect([large.status, large.body.code]).toEqual([413, 'payload_too_large'])
  })
}

/** The path with a well-formed id for every parameter. */
function plausible(endpoint: Endpoint): string {
  return endpoint.path.replaceAll(/\{\w+\}/g, () => randomUUID())
}

function assertionFor(endpoint: Endpoint, as: 'tenant' | 'service' | 'anonymous' = senderOf(endpoint)): Assertion {
  const traceId = randomUUID()
  if (as === 'anonymous') return { ...anonymous, traceId }
  return as === 'service'
    ? { tenantId: null, actor: { type: 'service' as const, id: issuerFor(endpoint) }, permissions: [], traceId }
    : {
        tenantId: randomUUID(),
        actor: { type: 'api_key' as const, id: randomUUID() },
        permissions: permissionNames,
        traceId,
      }
}

const anonymous = { tenantId: null, actor: { type: 'anonymous' as const, id: 'anonymous' }, permissions: [] }

function senderOf({ audience }: Endpoint): 'tenant' | 'service' | 'anonymous' {
  if (audience === 'internal') return 'service'
  return audience === 'public' ? 'anonymous' : 'tenant'
}

interface CallOptions {
  path?: string
  assertion?: Assertion
  body?: string
  contentType?: string
}

function call(contract: Contract, endpoint: Endpoint, { app, edgeKey }: Subject, options: CallOptions): Test {
  const {
    path = plausible(endpoint),
    assertion = assertionFor(endpoint),
    body,
    contentType = 'application/json',
  } = options
  const { method } = endpoint
  const sent = send(app, method, path).set(
    assertionHeader,
    signCall(contract, edgeKey, assertion, { method, path, body }),
  )
  return body === undefined ? sent : sent.set('Content-Type', contentType).send(body)
}

function send(app: App, method: Endpoint['method'], path: string): Test {
  return request(app)[method.toLowerCase() as 'get'](path)
}

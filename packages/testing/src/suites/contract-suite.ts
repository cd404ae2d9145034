import { createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import {
  type Assertion,
  assertionHeader,
  type SignedRequest,
  signAssertion,
} from '@payments/chassis/assertion/assertion'
import type { App } from '@payments/chassis/request/app'
import { gatewayName } from '@payments/contracts/edges/calls'
import type { Contract, Endpoint } from '@payments/contracts/grammar/contract'
import { permissionNames } from '@payments/contracts/grammar/permission'
import request, { type Test } from 'supertest'
import { browserAt, issuerFor, issuers } from '../calls/edges.ts'
import { signCall } from '../calls/signed-call.ts'

/** A service under test: its app, and the key with which it verifies every process (`keysOfEveryProcess`). */
export interface Subject {
  readonly app: App
  readonly edgeKey: KeyObject
}

/**
 * Tests of every endpoint of a contract: a request needs an assertion for exactly this request, by a process that may
 * call the endpoint, and the permission. One endpoint of each audience proves what is verified for all endpoints alike.
 */
export function contractSuite(contract: Contract, subject: () => Subject): void {
  const endpoints = Object.entries(contract.endpoints)
  const audiences = new Map([...endpoints].reverse().map((named) => [named[1].audience, named]))
  describe.each([...audiences.values()])('an assertion, for example for %s,', (name, endpoint) =>
    verificationTests(contract, name, endpoint, subject),
  )
  describe.each(endpoints)('%s', (name, endpoint) => accessTests(contract, name, endpoint, subject))
}

function verificationTests(contract: Contract, operation: string, endpoint: Endpoint, subject: () => Subject): void {
  test('is rejected if it is forged, or signed for another request', async () => {
    const { app, edgeKey } = subject()
    const path = plausible(endpoint)
    const { method } = endpoint
    const sign = (key: KeyObject, signed: Partial<SignedRequest>, audience = contract.service) => {
      const request = { method, path, operation, ...signed }
      return signAssertion(assertionFor(endpoint), { issuer: issuerFor(endpoint), audience, key }, request)
    }
    const forgeries = [
      'nonsense',
      sign(createSecretKey(randomBytes(32)), {}),
      sign(edgeKey, { path: `${path}/` }),
      sign(edgeKey, { method: method === 'GET' ? 'POST' : 'GET' }),
      sign(edgeKey, {}, 'another-service'),
    ]
    for (const forgery of forgeries) {
      const reply = await send(app, method, path).set(assertionHeader, forgery)
      expect([reply.status, reply.body.code]).toEqual([401, 'invalid_credentials'])
    }
  })

  test('is rejected if a process signed it in the name of another actor', async () => {
    const { app, edgeKey } = subject()
    const path = plausible(endpoint)
    const claims = impersonations(endpoint)
    const responses = await Promise.all(
      claims.map(async ({ issuer, assertion }) => {
        const edge = { issuer, audience: contract.service, key: edgeKey }
        const token = signAssertion(assertion, edge, { method: endpoint.method, path, operation })
        const { status, body } = await send(app, endpoint.method, path).set(assertionHeader, token)
        return { issuer, actor: assertion.actor, status, code: body.code }
      }),
    )
    const rejected = { status: 401, code: 'invalid_credentials' }
    expect(responses).toEqual(claims.map(({ issuer, assertion }) => ({ issuer, actor: assertion.actor, ...rejected })))
  })
}

function accessTests(contract: Contract, operation: string, endpoint: Endpoint, subject: () => Subject): void {
  test('rejects a request without an assertion for it, and every process that may not call it', async () => {
    const { app, edgeKey } = subject()
    const path = plausible(endpoint)
    const { method, audience, callers = [] } = endpoint
    const sign = (issuer: string, assertion: Assertion, signed: Partial<SignedRequest> = {}) => {
      const edge = { issuer, audience: contract.service, key: edgeKey }
      return signAssertion(assertion, edge, { method, path, operation, ...signed })
    }
    const [issuer, own] = [issuerFor(endpoint), assertionFor(endpoint)]
    const others = issuers.filter((one) => audience !== 'internal' || !callers.includes(one))
    const assertions = {
      none: undefined,
      'for another operation': sign(issuer, own, { operation: 'anotherOperation' }),
      'for another body': sign(issuer, own, { body: Buffer.from('{}') }),
      ...Object.fromEntries(others.map((one) => [`of ${one}`, sign(one, buildAssertion(one))])),
    }
    const responses: Record<string, unknown> = {}
    for (const [which, assertion] of Object.entries(assertions)) {
      const sent = send(app, method, path)
      const reply = await (assertion === undefined ? sent : sent.set(assertionHeader, assertion))
      responses[which] = [reply.status, reply.body.code]
    }
    const rejected = Object.keys(assertions).map((which) => [which, [401, 'invalid_credentials']])
    expect(responses).toEqual(Object.fromEntries(rejected))
  })

  if (endpoint.audience === 'authenticated' || endpoint.audience === 'public') {
    test('needs no permission', async () => {
      const assertion = { ...assertionFor(endpoint), permissions: [] }
      const reply = await call(contract, endpoint, subject(), assertion)
      expect(reply.status).not.toBe(401)
      expect(reply.body.code).not.toBe('permission_denied')
    })
    return
  }

  test(endpoint.permission === undefined ? 'is closed to tenants' : `needs ${endpoint.permission}`, async () => {
    const others = permissionNames.filter((name) => name !== endpoint.permission)
    const assertion = { ...assertionFor(endpoint, 'tenant'), permissions: others }
    const reply = await call(contract, endpoint, subject(), assertion)
    expect([reply.status, reply.body.code]).toEqual(
      endpoint.permission === undefined ? [401, 'invalid_credentials'] : [403, 'permission_denied'],
    )
  })
}

/** A process that names itself, with every permission. */
const buildAssertion = (process: string): Assertion => ({
  tenantId: null,
  actor: { type: 'service', id: process },
  permissions: permissionNames,
  traceId: randomUUID(),
})

/** Assertions that a process could sign with its own key and must not: as a process that may call, and as a tenant. */
function impersonations(endpoint: Endpoint): { issuer: string; assertion: Assertion }[] {
  const { audience, callers = [gatewayName] } = endpoint
  return issuers.flatMap((issuer) => {
    const asAnother = callers.filter((one) => one !== issuer).map(buildAssertion)
    const maySpeakForTenants = issuer === gatewayName && audience !== 'internal' && audience !== 'public'
    const asTenant = (['api_key', 'user'] as const).map((type) => ({
      ...assertionFor(endpoint, 'tenant'),
      actor: { type, id: randomUUID() },
    }))
    return [...asAnother, ...(maySpeakForTenants ? [] : asTenant)].map((assertion) => ({ issuer, assertion }))
  })
}

/** The path with a well-formed id for every parameter. */
function plausible(endpoint: Endpoint): string {
  return endpoint.path.replaceAll(/\{\w+\}/g, () => randomUUID())
}

function assertionFor(endpoint: Endpoint, as: 'tenant' | 'service' | 'anonymous' = chooseSender(endpoint)): Assertion {
  const traceId = randomUUID()
  if (as === 'anonymous') return { ...anonymous, ...browserAt(endpoint), traceId }
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

function chooseSender({ audience }: Endpoint): 'tenant' | 'service' | 'anonymous' {
  if (audience === 'internal') return 'service'
  return audience === 'public' ? 'anonymous' : 'tenant'
}

function call(contract: Contract, endpoint: Endpoint, { app, edgeKey }: Subject, assertion: Assertion): Test {
  const [{ method }, path] = [endpoint, plausible(endpoint)]
  return send(app, method, path).set(assertionHeader, signCall(contract, edgeKey, assertion, { method, path }))
}

function send(app: App, method: Endpoint['method'], path: string): Test {
  return request(app)[method.toLowerCase() as 'get'](path)
}

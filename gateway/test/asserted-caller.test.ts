import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { verifyAssertion } from '@payments/chassis/assertion/assertion'
import request from 'supertest'
import { consoleOrigin, credentialHeaders, headersOfConsole, startWorld, type TestTenant, type World } from './world.ts'

/** Which session, roles and permissions a service learns. */
let world: World
let tenant: TestTenant
let received: [service: string, incoming: IncomingMessage][] = []

beforeAll(async () => {
  world = await startWorld()
  tenant = await world.tenant()
})
afterAll(() => world.stop())
beforeEach(() => {
  received = []
  world.upstream.respond((incoming, response) => {
    received.push([/^\/(v1\/identity|session)\//.test(incoming.url ?? '') ? 'identity' : 'payment-proxy', incoming])
    response.end('{}')
  })
})

const open = '/v1/identity/self'
const permitted = '/v1/payment-proxy/transactions'

async function assertedTo(headers: Record<string, string>) {
  received = []
  for (const path of [open, permitted]) await request(world.url).get(path).set(headers).expect(200)
  return assertions().map((caller) => [
    caller?.actor.type,
    caller?.sessionId,
    caller?.roleIds,
    caller?.isSessionToken,
    caller?.roleNames,
  ])
}

const assertions = () =>
  received.map(([service, { headers, method = '', url = '' }]) => {
    const key = world.edges.get(service)
    if (key === undefined) throw new Error('no key')
    const token = String(headers['internal-assertion'])
    return verifyAssertion(token, service, new Map([['gateway', key]]), { method, path: url })
  })

test('every service learns the session of a person, its roles, and whether the credential is its JWT', async () => {
  const { id: viewerRole } = await world.rbac.role(tenant.id, [])
  const roleIds = [tenant.adminRole, viewerRole]
  const person = await world.identity.signIn({ tenantId: tenant.id, roleIds })
  const credentials = [
    [headersOfConsole(person.value), undefined],
    [credentialHeaders({ bearer: await person.token() }), true],
  ] as const
  for (const [headers, isSessionToken] of credentials) {
    const callers = await assertedTo(headers)
    const expected = ['user', person.sessionId, expect.arrayContaining(roleIds), isSessionToken, undefined]
    expect(callers).toEqual([expected, expected])
  }
})

test('the endpoints of every credential learn the roles of API keys and JWTs, and no other endpoint does', async () => {
  expect(await assertedTo(credentialHeaders(tenant.admin))).toEqual([
    ['api_key', undefined, [tenant.adminRole], undefined, ['admin']],
    ['api_key', undefined, undefined, undefined, undefined],
  ])
  expect(await assertedTo(credentialHeaders({ bearer: world.issuer.token(tenant.id, ['admin', 'unknown']) }))).toEqual([
    ['user', undefined, [tenant.adminRole], undefined, ['admin']],
    ['user', undefined, undefined, undefined, undefined],
  ])
})

test('long names of roles are left out, so that the assertion fits into a header', async () => {
  const names = Array.from({ length: 11 }, (_, index) => `${index} `.padEnd(200, '字'))
  const roleIds: string[] = []
  for (const name of names) roleIds.push((await world.rbac.role(tenant.id, [], name)).id)
  const { value } = await world.apiKey.keyWithRoles(tenant.id, [...roleIds, tenant.adminRole])
  const [open] = await assertedTo(credentialHeaders({ bearer: value, tenantId: tenant.id }))
  const [type, , asserted, , roleNames] = open ?? []
  expect([type, new Set(asserted as string[]), roleNames]).toEqual([
    'api_key',
    new Set([...roleIds, tenant.adminRole]),
    undefined,
  ])
})

test('an assertion names the held permissions that the endpoint needs and its handler reads, and no others', async () => {
  const [create, capture, read] = [
    'transaction:CreateTransaction',
    'transaction:CaptureTransaction',
    'transaction:ReadTransaction',
  ] as const
  const headers = credentialHeaders(await tenant.keyWith([create, capture, read]))
  received = []
  const send = (method: 'get' | 'post', path: string) => request(world.url)[method](path).set(headers).expect(200)
  await send('get', permitted)
  await send('post', permitted)
  await send('get', open)
  await send('get', '/v1/identity/sessions')
  expect(assertions().map((caller) => [caller?.operation, new Set(caller?.permissions)])).toEqual([
    ['payment-proxy.listTransactions', new Set([read])],
    ['payment-proxy.createTransaction', new Set([create, capture])],
    ['identity.readSelf', new Set([create, capture, read])],
    ['identity.listSessions', new Set([create, capture, read])],
  ])
})

test.each<[string, Record<string, string>, string | undefined]>([
  ['an image of another page', { 'Sec-Fetch-Dest': 'image' }, 'embedded'],
  ['a frame', { 'Sec-Fetch-Dest': 'iframe' }, 'embedded'],
  ['a page that is loaded ahead', { 'Sec-Fetch-Dest': 'document', 'Sec-Purpose': 'prefetch' }, 'embedded'],
  ['a link of another site', { 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'cross-site' }, 'foreign_link'],
  ['an address that a person opens', { 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'none' }, undefined],
  ['a browser without Fetch Metadata', {}, undefined],
])('identity learns how a sign-in was loaded: %s', async (_, headers, load) => {
  await request(world.url)
    .get('/session/sign-in')
    .set({ Host: new URL(consoleOrigin).host, ...headers })
    .redirects(0)
  expect(assertions().map((caller) => caller?.browser?.load)).toEqual([load])
})

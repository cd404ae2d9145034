import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { leaseMs } from '@payments/chassis/database/authorization-lease'
import request from 'supertest'
import type { Person } from './identity.ts'
import { credentialHeaders, headersOfConsole, startWorld, type TestTenant, type World } from './world.ts'

/** Sessions of people: the cookie of a browser, the value of a command line, and the JWT of a session. */
let world: World
let tenant: TestTenant
beforeAll(async () => {
  world = await startWorld()
  tenant = await world.tenant()
})
afterAll(() => world.stop())

const path = '/v1/api-key/keys?limit=1'
const invalid = [401, 'invalid_credentials']

/** How each kind of credential of a session is presented. */
const uses = {
  cookie: async ({ value }: Person) => headersOfConsole(value),
  bearer: async ({ value }: Person) => credentialHeaders({ bearer: value }),
  JWT: async ({ token }: Person) => credentialHeaders({ bearer: await token() }),
}
type Use = keyof typeof uses
const useNames = Object.keys(uses) as Use[]

const signIn = (use: Use = 'cookie', roleIds: readonly string[] = [tenant.adminRole], tenantId = tenant.id) =>
  world.identity.signIn({ tenantId, roleIds, kind: use === 'bearer' ? 'cli' : 'browser' })

async function responseTo(person: Person, use: Use, { url = world.url, target = path } = {}) {
  const { status, body } = await request(url)
    .get(target)
    .set(await uses[use](person))
  return [status, body.code]
}

/** The paths of requests that a server receives, without ids and queries. */
function pathsAt(server: Server) {
  const paths: string[] = []
  const record = ({ url }: IncomingMessage) => void paths.push(String(url).replace(/\?.*/, ''))
  server.on('request', record)
  return { paths, stop: () => server.off('request', record) }
}

describe('a session', () => {
  test.each(useNames)(
    'as %s authenticates its user with the roles of the membership, without a Tenant-ID',
    async (use) => {
      const person = await signIn(use)
      expect(await responseTo(person, use)).toEqual([200, undefined])
      const viewer = await signIn(use, [])
      expect(await responseTo(viewer, use)).toEqual([403, 'permission_denied'])
    },
  )

  test('of a browser is no bearer, and of a command line no cookie', async () => {
    expect(await responseTo(await signIn('cookie'), 'bearer')).toEqual(invalid)
    expect(await responseTo(await signIn('bearer'), 'cookie')).toEqual(invalid)
  })

  test('of a command line has JWTs too', async () => {
    expect(await responseTo(await signIn('bearer'), 'JWT')).toEqual([200, undefined])
  })

  test('acts as its user: rows, audit and rate limits name the user', async () => {
    const person = await signIn()
    const traceId = randomUUID()
    const created = await world
      .sendAsConsole('get', '/v1/payment-proxy/transactions', person)
      .set('Trace-ID', traceId)
      .expect(200)
    expect(created.headers['ratelimit-policy']).toContain('"user";')
    expect(await world.findAuditRecord(traceId)).toMatchObject({
      tenant_id: tenant.id,
      actor: { type: 'user', id: person.userId },
      client: 'console',
    })
  })

  test.each<[Use, string | null]>([
    ['cookie', 'console'],
    ['bearer', 'cli'],
    ['JWT', null],
  ])('as %s has the client %s in audit records', async (use, client) => {
    const person = await signIn(use)
    const headers = await uses[use](person)
    await request(world.url).get(path).set(headers).expect(200)
    expect(await world.findAuditRecord(headers['Trace-ID'] ?? '')).toMatchObject({ client, outcome: 'success' })
  })

  test('keeps its value in the gateway: identity gets the hash', async () => {
    const chunks: Buffer[] = []
    world.identity.server.on('connection', (socket) => socket.on('data', (chunk: Buffer) => chunks.push(chunk)))
    const gateway = await world.addGateway()
    const person = await signIn()
    expect(await responseTo(person, 'cookie', gateway)).toEqual([200, undefined])
    const received = Buffer.concat(chunks).toString('latin1')
    expect([received.includes('session_hash'), received.includes(person.value)]).toEqual([true, false])
    await gateway.stop()
  })

  test('of another environment, with a wrong checksum or unknown is rejected, and the last one is not cached', async () => {
    const person = await signIn()
    const foreign = { ...person, value: person.value.replace('pss_dev_', 'pss_prod_') }
    const mistyped = { ...person, value: `${person.value.slice(0, -1)}${person.value.endsWith('0') ? '1' : '0'}` }
    for (const wrong of [foreign, mistyped]) expect(await responseTo(wrong, 'cookie')).toEqual(invalid)
    await world.identity.end(person)
    const { paths, stop } = pathsAt(world.identity.server)
    for (let i = 0; i < 2; i += 1) expect(await responseTo(person, 'cookie')).toEqual(invalid)
    stop()
    expect(paths.filter((one) => one === '/internal/sessions/identify')).toHaveLength(2)
  })

  test('in use causes no requests to identity except version reads and reports of uses', async () => {
    const [person, cli] = [await signIn(), await signIn('bearer')]
    const each = async () => [
      await responseTo(person, 'cookie'),
      await responseTo(person, 'JWT'),
      await responseTo(cli, 'bearer'),
    ]
    await each()
    const { paths, stop } = pathsAt(world.identity.server)
    // The first rounds may take less than half of a lease, and need no read.
    for (let i = 0; i < 3 || !paths.includes('/internal/authorization-lease'); i += 1)
      expect(await each()).toEqual(Array(3).fill([200, undefined]))
    stop()
    expect(new Set(paths.filter((one) => one !== '/internal/sessions/uses'))).toEqual(
      new Set(['/internal/authorization-lease']),
    )
  })
})

describe.each(useNames)('the request after the acknowledgement, with a session as %s, at two gateways', (use) => {
  const both = async (person: Person, second: { url: string }) => [
    await responseTo(person, use),
    await responseTo(person, use, second),
  ]
  const changes: [name: string, (person: Person, own: TestTenant) => Promise<unknown>, expected: unknown[]][] = [
    ['its end', (person) => world.identity.end(person), invalid],
    ['the removal of its user', (person) => world.identity.remove(person), invalid],
    [
      'the removal of a role from its user',
      (person) => world.identity.replaceRoles(person, []),
      [403, 'permission_denied'],
    ],
    ['the suspension of its tenant', (_, own) => own.suspend(), [403, 'tenant_suspended']],
  ]

  test.each(changes)('is bound by %s', async (_, change, expected) => {
    const second = await world.addGateway()
    const own = await world.tenant()
    const person = await signIn(use, [own.adminRole], own.id)
    expect(await both(person, second)).toEqual(Array(2).fill([200, undefined]))
    await change(person, own)
    expect(await both(person, second)).toEqual([expected, expected])
    await second.stop()
  })

  test('is bound by the edit of a role of its user', async () => {
    const second = await world.addGateway()
    const role = { name: randomUUID(), permissions: ['apikey:ReadKey'] }
    const { body } = await world.send('post', '/v1/rbac/roles', tenant.admin).send(role).expect(201)
    const person = await signIn(use, [body.id])
    expect(await both(person, second)).toEqual(Array(2).fill([200, undefined]))
    await world.send('put', `/v1/rbac/roles/${body.id}`, tenant.admin).send({ permissions: [] }).expect(200)
    expect(await both(person, second)).toEqual(Array(2).fill([403, 'permission_denied']))
    await second.stop()
  })
})

describe('the time of a session', () => {
  const past = new Date(Date.now() - 1_000)

  test.each(useNames)('is over at its end, for %s', async (use) => {
    const person = await signIn(use)
    await world.identity.age(person, { expiresAt: past })
    expect(await responseTo(person, use)).toEqual(invalid)
  })

  test('without a use is over after the idle time', async () => {
    const person = await signIn()
    await world.identity.age(person, { lastSeenAt: new Date(Date.now() - 60 * 60_000 - 1_000) })
    expect(await responseTo(person, 'cookie')).toEqual(invalid)
  })

  test('is extended by the uses that the gateway reports', async () => {
    const person = await signIn()
    const before = new Date(Date.now() - 10 * 60_000)
    await world.identity.age(person, { lastSeenAt: before })
    const gateway = await world.addGateway()
    expect(await responseTo(person, 'cookie', gateway)).toEqual([200, undefined])
    await gateway.deps.resolver.close()
    expect(Number(await world.identity.lastSeenAt(person))).toBeGreaterThan(before.getTime() + 9 * 60_000)
    await gateway.stop()
  })

  test('is not extended by what an open page of the console sends by itself', async () => {
    const person = await signIn()
    const before = new Date(Date.now() - 59 * 60_000)
    await world.identity.age(person, { lastSeenAt: before })
    const gateway = await world.addGateway()
    const idle = { ...headersOfConsole(person.value), 'X-Console': 'idle' }
    await request(gateway.url).get(path).set(idle).expect(200)
    await gateway.deps.resolver.close()
    expect(await world.identity.lastSeenAt(person)).toEqual(before)
    await gateway.stop()
  })

  test('is not extended by its JWT', async () => {
    const person = await signIn()
    const before = new Date(Date.now() - 59 * 60_000)
    await world.identity.age(person, { lastSeenAt: before })
    const gateway = await world.addGateway()
    expect(await responseTo(person, 'JWT', gateway)).toEqual([200, undefined])
    await gateway.deps.resolver.close()
    expect(await world.identity.lastSeenAt(person)).toEqual(before)
    await world.identity.age(person, { lastSeenAt: new Date(before.getTime() - 2 * 60_000) })
    await world.identity.replaceRoles(person, [tenant.adminRole])
    expect(await responseTo(person, 'JWT', gateway)).toEqual(invalid)
    await gateway.stop()
  })
})

describe('while identity does not respond', () => {
  test('API keys and JWTs of other issuers are accepted, and sessions get 503', async () => {
    const away = await world.addGateway({ IDENTITY_URL: 'http://127.0.0.1:1' })
    const status = async (headers: Record<string, string>) => {
      const reply = await request(away.url).get(path).set(headers)
      return [reply.status, reply.body.code]
    }
    expect(await status(credentialHeaders(tenant.admin))).toEqual([200, undefined])
    expect(await status(credentialHeaders({ bearer: world.issuer.token(tenant.id, ['admin']) }))).toEqual([
      200,
      undefined,
    ])
    for (const use of useNames) {
      expect([use, await responseTo(await signIn(use), use, away)]).toEqual([use, [503, 'authorization_unavailable']])
    }
    const health = await request(away.url).get('/readyz').expect(200)
    expect(health.body.degraded).toEqual({ identity: 'cannot be reached' })
    await away.stop()
  })

  test('a session that was accepted before gets 503, and is accepted again afterwards', async () => {
    const person = await signIn()
    expect(await responseTo(person, 'cookie')).toEqual([200, undefined])
    const { server } = world.identity
    const listeners = server.listeners('request') as Parameters<Server['on']>[1][]
    server.removeAllListeners('request').on('request', (incoming) => incoming.socket.destroy())
    // A lease granted before may still be valid.
    await delay(2 * leaseMs)
    expect(await responseTo(person, 'cookie')).toEqual([503, 'authorization_unavailable'])
    server.removeAllListeners('request')
    for (const listener of listeners) server.on('request', listener)
    expect(await responseTo(person, 'cookie')).toEqual([200, undefined])
  })

  test('requests without a session cause no request to identity', async () => {
    const gateway = await world.addGateway()
    const { paths, stop } = pathsAt(world.identity.server)
    const bearers = [tenant.admin, { bearer: world.issuer.token(tenant.id, ['admin']) }]
    for (const credential of bearers)
      await request(gateway.url).get(path).set(credentialHeaders(credential)).expect(200)
    stop()
    expect(paths).toEqual([])
    await gateway.stop()
  })
})

test('wrong keys block no cookie; wrong cookies block unknown ones of their address, later than keys', async () => {
  const limits = { FAILED_AUTHENTICATIONS_PER_MINUTE: '2', UNVERIFIED_REQUESTS_PER_MINUTE: '20' }
  const strict = await world.addGateway({ ...limits, TRUSTED_PROXIES: '1' })
  const [known, ended, later] = [await signIn(), await signIn(), await signIn()]
  const send = async (headers: Record<string, string>) => {
    const address = { 'X-Forwarded-For': '198.51.100.7' }
    return (
      await request(strict.url)
        .get(path)
        .set({ ...headers, ...address })
    ).status
  }
  const cookie = ({ value }: Person) => send(headersOfConsole(value))
  const statuses = [await cookie(known), await cookie(ended)]
  for (let i = 0; i < 3; i += 1) statuses.push(await send(credentialHeaders({ bearer: 'guess' })))
  await world.identity.end(ended)
  statuses.push(await cookie(later), await cookie(ended))
  expect(statuses).toEqual([200, 200, 401, 401, 429, 200, 401])
  const guesses = []
  for (let i = 0; i < 20; i += 1) guesses.push(await send(headersOfConsole(`guess${i}`)))
  expect([guesses[18], guesses[19]]).toEqual([401, 429])
  expect([await cookie(known), await cookie(await signIn()), await cookie(ended)]).toEqual([200, 429, 429])
  await strict.stop()
})

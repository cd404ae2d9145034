import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { leaseMs } from '@payments/chassis/database/authorization-lease'
import { until } from '@payments/testing/services/until'
import { readsInProgressMax } from '../src/authorization/lease-reads.ts'
import { type Credential, startWorld, type TestTenant, type World } from './world.ts'

let world: World
let tenant: TestTenant

beforeAll(async () => {
  world = await startWorld()
  tenant = await world.tenant()
})
afterAll(() => world.stop())
afterEach(() => {
  jest.restoreAllMocks()
})

const path = '/v1/api-key/keys?limit=1'
const use = async (credential: Credential) => (await world.send('get', path, credential)).status

/** Records the paths of internal requests to a service, without ids. */
function recordRequests(server: Server) {
  const paths: string[] = []
  const record = ({ url }: IncomingMessage) => {
    const target = String(url).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':id')
    if (target.startsWith('/internal/')) paths.push(target.replace(/\?.*/, ''))
  }
  server.on('request', record)
  return { paths, stop: () => server.off('request', record) }
}

async function customRole(permissions: readonly string[]): Promise<{ id: string; name: string }> {
  const body = { name: randomUUID(), permissions }
  const reply = await world.send('post', '/v1/rbac/roles', tenant.admin).send(body).expect(201)
  return reply.body
}

describe('the caches', () => {
  /** Sent in the background, whatever the credentials. */
  const reports = ['/internal/keys/uses']

  test('a credential in use causes no requests to api-key and rbac except calls for leases', async () => {
    const key = await tenant.keyWith(['apikey:ReadKey'])
    const token = { bearer: world.issuer.token(tenant.id, ['viewer']) }
    for (const credential of [key, token]) expect(await use(credential)).toBe(200)
    const sources = [recordRequests(world.apiKey.server), recordRequests(world.rbac.server)] as const
    for (let i = 0; i < 5; i += 1) for (const credential of [key, token]) expect(await use(credential)).toBe(200)
    const paths = sources.flatMap((source) => source.paths).filter((one) => !reports.includes(one))
    expect([...new Set(paths)]).toEqual(['/internal/authorization-lease'])
    for (const source of sources) source.stop()
  })

  test('an unknown key is cached too, until any key is created', async () => {
    const gone = await tenant.keyWith(['apikey:ReadKey'])
    await world.send('delete', `/v1/api-key/keys/${gone.id}`, tenant.admin).expect(204)
    expect(await use(gone)).toBe(401)
    const { paths, stop } = recordRequests(world.apiKey.server)
    expect(await use(gone)).toBe(401)
    expect(paths).not.toContain('/internal/keys/identify')
    // By request: its response waits for the leases.
    await world.send('post', '/v1/api-key/keys', tenant.admin).send({ name: 'another key' }).expect(201)
    paths.splice(0)
    expect(await use(gone)).toBe(401)
    expect(paths).toContain('/internal/keys/identify')
    stop()
  })
})

describe('the load on an authorization source', () => {
  /** Delays each version read, and counts the reads and the reads in progress. */
  function slowDown(server: Server) {
    const listeners = server.listeners('request') as ((...args: unknown[]) => void)[]
    const reads = { count: 0, open: 0, openMax: 0 }
    server.removeAllListeners('request')
    server.on('request', (request: IncomingMessage, response) => {
      const pass = () => {
        for (const listener of listeners) listener.call(server, request, response)
      }
      if (!String(request.url).startsWith('/internal/authorization-lease')) return pass()
      reads.count += 1
      reads.open += 1
      reads.openMax = Math.max(reads.openMax, reads.open)
      response.on('close', () => (reads.open -= 1))
      setTimeout(pass, 50)
    })
    const restore = () => {
      server.removeAllListeners('request')
      for (const listener of listeners) server.on('request', listener)
    }
    return { reads, restore }
  }

  test('does not grow with the requests: at most four version reads in progress serve all of them', async () => {
    const key = await tenant.keyWith(['apikey:ReadKey'])
    expect(await use(key)).toBe(200)
    const sources = [slowDown(world.apiKey.server), slowDown(world.rbac.server)] as const
    // On a busy machine, a read may take too long: the requests that it serves are rejected.
    await until(async () => {
      for (const { reads } of sources) Object.assign(reads, { count: 0, openMax: 0 })
      const statuses = await Promise.all(Array.from({ length: 100 }, () => use(key)))
      expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
      return !statuses.includes(503)
    })
    for (const { restore } of sources) restore()
    for (const { reads } of sources) {
      expect(reads.openMax).toBeLessThanOrEqual(readsInProgressMax)
      expect(reads.count).toBeLessThan(50)
    }
  })
})

describe('a change binds the next request, although the credential is cached', () => {
  const changes: [string, number, (key: { id: string; bearer: string }, role: { id: string }) => Promise<unknown>][] = [
    ['the key is deleted', 401, ({ id }) => world.send('delete', `/v1/api-key/keys/${id}`, tenant.admin).expect(204)],
    [
      'the key is disabled',
      401,
      ({ id }) => world.send('patch', `/v1/api-key/keys/${id}`, tenant.admin).send({ enabled: false }).expect(200),
    ],
    [
      'the expiry of the key is set to the past',
      401,
      ({ id }) => {
        const expires_at = new Date(Date.now() - 1).toISOString()
        return world.send('patch', `/v1/api-key/keys/${id}`, tenant.admin).send({ expires_at }).expect(200)
      },
    ],
    [
      'the allowed CIDRs of the key are narrowed',
      403,
      ({ id }) => {
        const allowed_cidrs = ['203.0.113.0/24']
        return world.send('patch', `/v1/api-key/keys/${id}`, tenant.admin).send({ allowed_cidrs }).expect(200)
      },
    ],
    [
      'the key is rotated without a grace period',
      401,
      ({ id }) => world.send('post', `/v1/api-key/keys/${id}/rotate`, tenant.admin).send({}).expect(200),
    ],
    [
      'the roles of the key are replaced',
      403,
      ({ id }) => world.send('put', `/v1/api-key/keys/${id}/roles`, tenant.admin).send({ role_ids: [] }).expect(200),
    ],
    [
      'the role of the key is edited',
      403,
      (_, { id }) => world.send('put', `/v1/rbac/roles/${id}`, tenant.admin).send({ permissions: [] }).expect(200),
    ],
  ]

  test.each(changes)('%s', async (_, status, apply) => {
    const role = await customRole(['apikey:ReadKey'])
    const key = await tenant.keyWith([])
    await world
      .send('put', `/v1/api-key/keys/${key.id}/roles`, tenant.admin)
      .send({ role_ids: [role.id] })
      .expect(200)
    for (let i = 0; i < 3; i += 1) expect(await use(key)).toBe(200)
    await apply(key, role)
    expect(await use(key)).toBe(status)
  })

  const changesOfTokens: [string, (role: { id: string }) => Promise<unknown>][] = [
    [
      'edited',
      ({ id }) => world.send('put', `/v1/rbac/roles/${id}`, tenant.admin).send({ permissions: [] }).expect(200),
    ],
    [
      'renamed',
      ({ id }) => world.send('put', `/v1/rbac/roles/${id}`, tenant.admin).send({ name: randomUUID() }).expect(200),
    ],
    ['deleted', ({ id }) => world.send('delete', `/v1/rbac/roles/${id}`, tenant.admin).expect(204)],
  ]

  test.each(changesOfTokens)('the role that a token names is %s', async (_, apply) => {
    const role = await customRole(['apikey:ReadKey'])
    const token = { bearer: world.issuer.token(tenant.id, [role.name]) }
    for (let i = 0; i < 3; i += 1) expect(await use(token)).toBe(200)
    await apply(role)
    expect(await use(token)).toBe(403)
  })

  test('the tenant is suspended', async () => {
    const suspended = await world.tenant()
    const token = { bearer: world.issuer.token(suspended.id, ['viewer']) }
    for (let i = 0; i < 3; i += 1) expect([await use(suspended.admin), await use(token)]).toEqual([200, 200])
    await suspended.suspend()
    expect([await use(suspended.admin), await use(token)]).toEqual([403, 403])
  })

  test('the key reaches its expiry', async () => {
    const key = await tenant.keyWith(['apikey:ReadKey'])
    const expiresAt = Date.now() + 60_000
    await world
      .send('patch', `/v1/api-key/keys/${key.id}`, tenant.admin)
      .send({ expires_at: new Date(expiresAt).toISOString() })
      .expect(200)
    expect(await use(key)).toBe(200)
    jest.spyOn(Date, 'now').mockReturnValue(expiresAt)
    expect(await use(key)).toBe(401)
  })
})

describe('when an authorization source does not respond', () => {
  test.each(['apiKey', 'rbac'] as const)(
    '%s: a cached key is rejected within the time-out, and accepted again afterwards',
    async (name) => {
      const key = await tenant.keyWith(['transaction:ReadTransaction'])
      const target = '/v1/payment-proxy/transactions'
      await world.send('get', target, key).expect(200)
      const { server } = world[name]
      const listeners = server.listeners('request') as Parameters<Server['on']>[1][]
      server.removeAllListeners('request')
      // A lease granted before may still be valid.
      await delay(2 * leaseMs)
      const startedAt = performance.now()
      const reply = await world.send('get', target, key)
      expect([reply.status, reply.body.code, reply.headers['retry-after']]).toEqual([
        503,
        'authorization_unavailable',
        '1',
      ])
      expect(performance.now() - startedAt).toBeLessThan(5_000)
      for (const listener of listeners) server.on('request', listener)
      await until(async () => (await world.send('get', target, key)).status === 200)
    },
  )
})

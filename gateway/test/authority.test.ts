import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import jwt from 'jsonwebtoken'
import { createTokenVerifier } from '../src/authorization/jwt-verifier.ts'
import { rememberTokens } from '../src/authorization/token-cache.ts'
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

/** Counts the questions an owner is asked, by path without ids. */
function watch(server: Server) {
  const asked: string[] = []
  const note = ({ url }: IncomingMessage) => {
    const target = String(url).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':id')
    if (target.startsWith('/internal/')) asked.push(target.replace(/\?.*/, ''))
  }
  server.on('request', note)
  return { asked, stop: () => server.off('request', note) }
}

async function customRole(permissions: readonly string[]): Promise<{ id: string; name: string }> {
  const body = { name: randomUUID(), permissions }
  const reply = await world.send('post', '/v1/rbac/roles', tenant.admin).send(body).expect(201)
  return reply.body
}

describe('what is remembered', () => {
  test('a credential in use costs its owners nothing but reads of their epochs', async () => {
    const key = await tenant.keyWith(['apikey:ReadKey'])
    const token = { bearer: world.issuer.token(tenant.id, ['viewer']) }
    for (const credential of [key, token]) expect(await use(credential)).toBe(200)
    const owners = [watch(world.apiKey.server), watch(world.rbac.server)] as const
    for (let i = 0; i < 5; i += 1) for (const credential of [key, token]) expect(await use(credential)).toBe(200)
    const asked = owners.flatMap((owner) => owner.asked).filter((one) => one !== '/internal/keys/uses')
    expect([...new Set(asked)]).toEqual(['/internal/authorization-epoch'])
    for (const owner of owners) owner.stop()
  })

  test('a key that does not exist is remembered too, until it does', async () => {
    const gone = await tenant.keyWith(['apikey:ReadKey'])
    await world.send('delete', `/v1/api-key/keys/${gone.id}`, tenant.admin).expect(204)
    expect(await use(gone)).toBe(401)
    const { asked, stop } = watch(world.apiKey.server)
    expect(await use(gone)).toBe(401)
    expect(asked.filter((one) => one === '/internal/keys/identify')).toEqual([])
    await tenant.keyWith([])
    expect(await use(gone)).toBe(401)
    expect(asked.filter((one) => one === '/internal/keys/identify')).toHaveLength(1)
    stop()
  })
})

describe('the load on an owner', () => {
  /** Answers each read of the epoch a little later, and tells how many there were and how many at once. */
  function slowDown(server: Server) {
    const listeners = server.listeners('request') as ((...args: unknown[]) => void)[]
    const reads = { count: 0, open: 0, openMax: 0 }
    server.removeAllListeners('request')
    server.on('request', (request: IncomingMessage, response) => {
      const pass = () => {
        for (const listener of listeners) listener.call(server, request, response)
      }
      if (!String(request.url).startsWith('/internal/authorization-epoch')) return pass()
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

  test('does not grow with the requests: one read of the epoch at a time serves all who wait', async () => {
    const key = await tenant.keyWith(['apikey:ReadKey'])
    expect(await use(key)).toBe(200)
    const owners = [slowDown(world.apiKey.server), slowDown(world.rbac.server)] as const
    const statuses = await Promise.all(Array.from({ length: 100 }, () => use(key)))
    for (const { restore } of owners) restore()
    expect(new Set(statuses)).toEqual(new Set([200]))
    for (const { reads } of owners) {
      expect(reads.openMax).toBe(1)
      expect(reads.count).toBeLessThan(50)
    }
  })
})

describe('power that is taken is gone from the very next request on, though it was remembered', () => {
  const taken: [string, number, (key: { id: string; bearer: string }, role: { id: string }) => Promise<unknown>][] = [
    ['the key is deleted', 401, ({ id }) => world.send('delete', `/v1/api-key/keys/${id}`, tenant.admin).expect(204)],
    [
      'the key is disabled',
      401,
      ({ id }) => world.send('patch', `/v1/api-key/keys/${id}`, tenant.admin).send({ enabled: false }).expect(200),
    ],
    [
      'the key is made to expire',
      401,
      ({ id }) => {
        const expires_at = new Date(Date.now() - 1).toISOString()
        return world.send('patch', `/v1/api-key/keys/${id}`, tenant.admin).send({ expires_at }).expect(200)
      },
    ],
    [
      'its addresses are narrowed',
      403,
      ({ id }) => {
        const allowed_cidrs = ['203.0.113.0/24']
        return world.send('patch', `/v1/api-key/keys/${id}`, tenant.admin).send({ allowed_cidrs }).expect(200)
      },
    ],
    [
      'it is rotated without grace',
      401,
      ({ id }) => world.send('post', `/v1/api-key/keys/${id}/rotate`, tenant.admin).send({}).expect(200),
    ],
    [
      'its roles are replaced',
      403,
      ({ id }) => world.send('put', `/v1/api-key/keys/${id}/roles`, tenant.admin).send({ role_ids: [] }).expect(200),
    ],
    [
      'its role is edited',
      403,
      (_, { id }) => world.send('put', `/v1/rbac/roles/${id}`, tenant.admin).send({ permissions: [] }).expect(200),
    ],
  ]

  test.each(taken)('%s', async (_, status, take) => {
    const role = await customRole(['apikey:ReadKey'])
    const key = await tenant.keyWith([])
    await world
      .send('put', `/v1/api-key/keys/${key.id}/roles`, tenant.admin)
      .send({ role_ids: [role.id] })
      .expect(200)
    for (let i = 0; i < 3; i += 1) expect(await use(key)).toBe(200)
    await take(key, role)
    expect(await use(key)).toBe(status)
  })

  const takenFromTokens: [string, (role: { id: string }) => Promise<unknown>][] = [
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

  test.each(takenFromTokens)('the role that a token names is %s', async (_, take) => {
    const role = await customRole(['apikey:ReadKey'])
    const token = { bearer: world.issuer.token(tenant.id, [role.name]) }
    for (let i = 0; i < 3; i += 1) expect(await use(token)).toBe(200)
    await take(role)
    expect(await use(token)).toBe(403)
  })

  test('the tenant is suspended', async () => {
    const unlucky = await world.tenant()
    const token = { bearer: world.issuer.token(unlucky.id, ['viewer']) }
    for (let i = 0; i < 3; i += 1) expect([await use(unlucky.admin), await use(token)]).toEqual([200, 200])
    await unlucky.suspend()
    expect([await use(unlucky.admin), await use(token)]).toEqual([403, 403])
  })

  test('the instant has come at which the key was to expire', async () => {
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

describe('when an owner is silent', () => {
  test.each(['apiKey', 'rbac'] as const)(
    '%s: a remembered key is refused within its deadline, and good again after',
    async (name) => {
      const key = await tenant.keyWith(['transaction:ReadTransaction'])
      const target = '/v1/payment-proxy/transactions'
      await world.send('get', target, key).expect(200)
      const { server } = world[name]
      const listeners = server.listeners('request') as Parameters<Server['on']>[1][]
      server.removeAllListeners('request')
      const startedAt = performance.now()
      const reply = await world.send('get', target, key)
      expect([reply.status, reply.body.code, reply.headers['retry-after']]).toEqual([
        503,
        'authorization_unavailable',
        '1',
      ])
      expect(performance.now() - startedAt).toBeLessThan(5_000)
      for (const listener of listeners) server.on('request', listener)
      await world.send('get', target, key).expect(200)
    },
  )
})

describe('a token that was found good', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const tokenFor = (expiresInSeconds: number) =>
    jwt.sign({ tenant_id: randomUUID(), roles: [] }, privateKey, {
      algorithm: 'ES256',
      keyid: 'one',
      issuer: 'i',
      audience: 'a',
      subject: 'alice',
      expiresIn: expiresInSeconds,
    })

  /** The real verifier, and how often it looked for a key. */
  function verifier(withdrawn: () => boolean = () => false) {
    const looks = { count: 0 }
    const find = async () => {
      looks.count += 1
      return withdrawn() ? undefined : publicKey
    }
    const issuer = {
      issuer: 'i',
      audience: 'a',
      algorithms: ['ES256' as const],
      tenantClaim: 'tenant_id',
      rolesClaim: 'roles',
      tenants: '*' as const,
      lifetimeSecondsMax: 86_400,
    }
    return { looks, ...rememberTokens(createTokenVerifier([{ ...issuer, keys: { find } }]), { tokensMax: 2 }) }
  }

  test('is not verified again for a minute, and then it is', async () => {
    let isWithdrawn = false
    const { looks, verify } = verifier(() => isWithdrawn)
    const token = tokenFor(3_600)
    const first = await verify(token)
    expect([first?.subject, await verify(token)]).toEqual(['alice', first])
    expect(looks.count).toBe(1)
    isWithdrawn = true
    const now = Date.now()
    jest.spyOn(Date, 'now').mockReturnValue(now + 60_001)
    expect(await verify(token)).toBeUndefined()
  })

  test('is verified again once it has expired', async () => {
    const { looks, verify } = verifier()
    const token = tokenFor(30)
    await verify(token)
    const now = Date.now()
    jest.spyOn(Date, 'now').mockReturnValue(now + 31_000)
    expect(await verify(token)).toBeDefined()
    expect(looks.count).toBe(2)
    jest.spyOn(Date, 'now').mockReturnValue(now + 62_000)
    expect(await verify(token)).toBeUndefined()
  })

  test('is one of so many, and what was found bad is not remembered', async () => {
    const { looks, verify } = verifier()
    const tokens = [tokenFor(3_600), tokenFor(3_601), tokenFor(3_602)] as const
    for (const token of tokens) await verify(token)
    await verify(tokens[0])
    expect(looks.count).toBe(4)
    const bad = `${tokens[0].slice(0, -4)}AAAA`
    expect([await verify(bad), await verify(bad)]).toEqual([undefined, undefined])
    expect(looks.count).toBe(6)
  })
})

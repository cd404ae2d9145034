import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { leaseMs } from '@payments/chassis/database/authorization-lease'
import { listen, stopServer } from '@payments/chassis/process/serve'
import jwt from 'jsonwebtoken'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
let tenant: TestTenant
let other: TestTenant

beforeAll(async () => {
  world = await startWorld()
  tenant = await world.tenant()
  other = await world.tenant()
})
afterAll(() => world.stop())

const path = '/v1/api-key/keys'
const get = (bearer: string, tenantId?: string) =>
  world.send('get', path, { bearer, ...(tenantId === undefined ? {} : { tenantId }) })

const good = (options: jwt.SignOptions = {}, claims: object = {}) =>
  world.issuer.token(tenant.id, ['admin'], options, claims)

describe('a JWT', () => {
  test('authenticates the user with the permissions of the roles, without a Tenant-ID', async () => {
    const reply = await get(good()).expect(200)
    expect(reply.body.data.map((key: { id: string }) => key.id)).toEqual([tenant.admin.id])
    await get(good(), tenant.id).expect(200)
    const denied = await world.send('post', path, { bearer: world.issuer.token(tenant.id, ['viewer']) }).send({})
    expect([denied.status, denied.body.code]).toEqual([403, 'permission_denied'])
  })

  test('is rejected with the Tenant-ID of another tenant', async () => {
    expect((await get(good(), other.id)).status).toBe(401)
  })

  test('with a malformed Tenant-ID gets 400', async () => {
    const reply = await get(good(), 'x').expect(400)
    expect(reply.body.errors).toEqual([{ pointer: '/headers/Tenant-ID', detail: 'must be a UUID' }])
  })

  test('gives no permissions for roles that the tenant does not have', async () => {
    const reply = await get(world.issuer.token(tenant.id, ['superuser', 'ADMIN'])).expect(403)
    expect(reply.body.code).toBe('permission_denied')
  })

  test('of an unknown tenant is rejected', async () => {
    expect((await get(world.issuer.token(randomUUID(), ['admin']))).status).toBe(401)
  })

  test('acts as its subject', async () => {
    const created = await world.send('post', path, { bearer: good() }).send({ name: 'created by alice' }).expect(201)
    expect(created.body.created_by).toBe('user:alice')
  })

  test('of a suspended tenant gets tenant_suspended', async () => {
    const suspended = await world.tenant()
    await suspended.suspend()
    const reply = await get(world.issuer.token(suspended.id, ['admin'])).expect(403)
    expect(reply.body.code).toBe('tenant_suspended')
  })
})

describe('with several issuers', () => {
  test('the outage of one is a 503 for its own tokens only', async () => {
    const names = ['urn:there', 'urn:gone'] as const
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }]
    const jwksServer = createServer((_request, response) => void response.end(JSON.stringify({ keys })))
    const jwksUrl = `http://127.0.0.1:${await listen(jwksServer, { host: '127.0.0.1', port: 0 })}/jwks.json`
    const urls = [jwksUrl, 'http://127.0.0.1:1/jwks.json']
    const issuers = names.map((name, i) => ({
      issuer: name,
      audience: 'payments',
      algorithms: ['ES256'],
      jwks_url: urls[i],
      tenants: '*',
      lifetime_seconds_max: 3_600,
    }))
    const several = await startWorld({ env: { JWT_ISSUERS: JSON.stringify(issuers) } })
    const { id } = await several.tenant()
    const from = (issuer: string) =>
      jwt.sign({ tenant_id: id, roles: ['admin'] }, privateKey, {
        algorithm: 'ES256',
        keyid: 'one',
        issuer,
        audience: 'payments',
        subject: 'alice',
        expiresIn: 60,
      })
    const replies = []
    for (const name of names) replies.push(await several.send('get', path, { bearer: from(name) }))
    expect(replies.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [503, 'authorization_unavailable'],
    ])
    expect(replies[1]?.headers['retry-after']).toBe('5')
    await stopServer(jwksServer, 0)
    await several.send('get', path, { bearer: from('urn:there') }).expect(200)
    await several.stop()
  })
})

describe('while an authorization source closes every connection', () => {
  const target = '/v1/payment-proxy/transactions'
  /** The response to `bearer` while a source closes every connection. */
  async function responseWithout({ server }: { server: Server }, bearer: string) {
    const listeners = server.listeners('request') as RequestListener[]
    server.removeAllListeners('request').on('request', (request) => request.socket.destroy())
    // A lease granted before may still be valid.
    await delay(2 * leaseMs)
    const { status, body, headers } = await world.send('get', target, { bearer })
    server.removeAllListeners('request')
    for (const listener of listeners) server.on('request', listener)
    return [status, body.code, headers['retry-after']]
  }

  test('and the source is rbac, a verified token gets 503, and is accepted again afterwards', async () => {
    const bearer = good()
    await world.send('get', target, { bearer }).expect(200)
    expect(await responseWithout(world.rbac, bearer)).toEqual([503, 'authorization_unavailable', '1'])
    await world.send('get', target, { bearer }).expect(200)
  })

  test('and the source is api-key, tokens are accepted', async () => {
    expect(await responseWithout(world.apiKey, good())).toEqual([200, undefined, undefined])
  })
})

describe('rejects, like any invalid credential, a JWT', () => {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const withHeader = (header: object) => `${encode(header)}.${good().split('.').slice(1).join('.')}`
  const now = Math.floor(Date.now() / 1000)

  const attacks: Record<string, () => string> = {
    'without a signature (alg none)': () =>
      `${encode({ alg: 'none', kid: 'one', typ: 'JWT' })}.${good().split('.')[1]}.`,
    'signed with the public key as an HMAC secret': () => {
      const signed = `${encode({ alg: 'HS256', kid: 'one', typ: 'JWT' })}.${good().split('.')[1]}`
      const pem = world.issuer.publicKey.export({ type: 'spki', format: 'pem' })
      return `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`
    },
    'signed by another key under the same kid': () => {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      return jwt.sign(jwt.decode(good()) as object, privateKey, { algorithm: 'ES256', keyid: 'one' })
    },
    'of an algorithm that is not pinned': () => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      return jwt.sign(jwt.decode(good()) as object, privateKey, { algorithm: 'RS256', keyid: 'one' })
    },
    'with an unknown kid': () => good({ keyid: 'two' }),
    'without a kid': () => withHeader({ alg: 'ES256', typ: 'JWT' }),
    'with its own key in the header': () => withHeader({ alg: 'ES256', typ: 'JWT', jwk: {} }),
    'with a critical extension': () => withHeader({ alg: 'ES256', typ: 'JWT', kid: 'one', crit: ['b64'], b64: false }),
    'of another typ': () => good({ header: { alg: 'ES256', typ: 'logout+jwt' } }),
    'with its payload exchanged': () => {
      const [header, , signature] = good().split('.')
      const claims = { ...(jwt.decode(good()) as object), tenant_id: other.id }
      return `${header}.${encode(claims)}.${signature}`
    },
    'with half a signature': () => good().slice(0, -20),
    'for another audience': () => good({ audience: 'another-audience' }),
    'of an unknown issuer': () => good({ issuer: 'urn:elsewhere' }),
    'that expired more than 30 s ago': () => good({ expiresIn: -31 }),
    'that begins more than 30 s from now': () => good({ notBefore: 35 }),
    'without an expiry': () => {
      const { exp: _, ...claims } = jwt.decode(good()) as Record<string, unknown>
      return jwt.sign(claims, world.issuer.privateKey, { algorithm: 'ES256', keyid: 'one' })
    },
    'with an expiry that is no number': () => withClaims({ exp: 'never' }),
    'without a tenant': () => withClaims({ tenant_id: undefined }),
    'with two tenants': () => withClaims({ tenant_id: [tenant.id, other.id] }),
    'with roles that are no list': () => withClaims({ roles: 'admin' }),
    'with 51 roles': () => withClaims({ roles: Array(51).fill('admin') }),
    'without a subject': () => withClaims({ sub: undefined }),
    'of more than 8 KiB': () => good({}, { padding: 'x'.repeat(8192) }),
    'that is no JSON inside': () => `${Buffer.from('{').toString('base64url')}.e30.e30`,
    'that is null inside': () => 'bnVsbA.bnVsbA.bnVsbA',
    'that is empty inside': () => '..',
  }

  /** Claims that jsonwebtoken would not sign, signed by hand with the right key. */
  function withClaims(claims: object): string {
    const payload = {
      iss: 'urn:test:issuer',
      aud: 'payment-service',
      sub: 'alice',
      iat: now,
      exp: now + 60,
      roles: ['admin'],
    }
    return jwt.sign(JSON.stringify({ ...payload, tenant_id: tenant.id, ...claims }), world.issuer.privateKey, {
      algorithm: 'ES256',
      keyid: 'one',
      header: { alg: 'ES256', typ: 'JWT' },
    })
  }

  test.each(Object.keys(attacks))('%s', async (name) => {
    const reply = await get(attacks[name]?.() ?? '')
    expect([reply.status, reply.body.code]).toEqual([401, 'invalid_credentials'])
  })

  test('… but accepts a JWT within the clock skew of 30 s, or of typ at+jwt', async () => {
    const late = good({ expiresIn: -28 })
    const early = good({ notBefore: 28 })
    for (const token of [withClaims({}), late, early, good({ header: { alg: 'ES256', typ: 'at+jwt' } })]) {
      expect((await get(token)).status).toBe(200)
    }
  })
})

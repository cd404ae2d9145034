import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import jwt from 'jsonwebtoken'
import type { Person } from './identity.ts'
import { startWorld, type TestTenant, type World } from './world.ts'

/** JWTs of sessions: identity signs them, and the session that `sid` names decides. */
let world: World
let tenant: TestTenant
let person: Person

beforeAll(async () => {
  world = await startWorld()
  tenant = await world.tenant()
  person = await world.identity.signIn({ tenantId: tenant.id, roleIds: [tenant.adminRole] })
})
afterAll(() => world.stop())

const get = (bearer: string) => world.send('get', '/v1/api-key/keys?limit=1', { bearer })

interface Changes {
  readonly claims?: object
  readonly options?: jwt.SignOptions
  readonly key?: KeyObject
}

function signed({ claims = {}, options = {}, key = world.identity.tokenKey }: Changes = {}): string {
  return jwt.sign({ sid: person.sessionId, ...claims }, key, {
    algorithm: 'ES256',
    keyid: 'one',
    issuer: 'urn:payment-service:dev:sessions',
    audience: 'payment-service',
    subject: person.userId,
    expiresIn: 900,
    ...options,
  })
}

test('authenticates the user of its session', async () => {
  await get(await person.token()).expect(200)
  expect((await get(signed())).status).toBe(200)
})

test('has tenant and roles of its session, whatever it claims', async () => {
  const other = await world.tenant()
  const viewer = await world.identity.signIn({ tenantId: tenant.id, roleIds: [] })
  const claims = { sid: viewer.sessionId, tenant_id: other.id, roles: ['admin'] }
  const reply = await get(signed({ claims, options: { subject: viewer.userId } }))
  expect([reply.status, reply.body.code]).toEqual([403, 'permission_denied'])
})

describe('rejects, like any invalid credential, one', () => {
  const attacks: Record<string, () => string> = {
    'of an unknown session': () => signed({ claims: { sid: randomUUID() } }),
    'of the session of another user': () => signed({ options: { subject: randomUUID() } }),
    'without a session': () => signed({ claims: { sid: undefined } }),
    'whose session is no id': () => signed({ claims: { sid: 'x' } }),
    'for more than 15 minutes': () => signed({ options: { expiresIn: 901 } }),
    'that expired more than 30 s ago': () => signed({ options: { expiresIn: -31 } }),
    'for another audience': () => signed({ options: { audience: 'other' } }),
    'of another environment': () => signed({ options: { issuer: 'urn:payment-service:prod:sessions' } }),
    'with an unknown key id': () => signed({ options: { keyid: 'two' } }),
    'signed by another key': () => signed({ key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }),
    'signed by the key of another issuer': () => signed({ key: world.issuer.privateKey }),
    'signed with another algorithm': () =>
      signed({
        key: generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
        options: { algorithm: 'ES384' },
      }),
  }

  test.each(Object.keys(attacks))('%s', async (name) => {
    const reply = await get(attacks[name]?.() ?? '')
    expect([reply.status, reply.body.code]).toEqual([401, 'invalid_credentials'])
  })
})

test('the `sid` of another issuer means nothing: the token names tenant and roles itself', async () => {
  const ended = await world.identity.signIn({ tenantId: tenant.id, roleIds: [] })
  await world.identity.end(ended)
  expect((await get(world.issuer.token(tenant.id, ['admin'], {}, { sid: ended.sessionId }))).status).toBe(200)
})

import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { leaseMs } from '@payments/chassis/database/authorization-lease'
import { stopServer } from '@payments/chassis/process/serve'
import { base62, calculateChecksum } from '@payments/contracts/grammar/key-value'
import request from 'supertest'
import { sendRaw, startWorld, type TestTenant, type World } from './world.ts'

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

function createValue(environment: string, secret = randomBytes(32)): string {
  const covered = `psk_${environment}_${base62(BigInt(`0x${secret.toString('hex')}`), 43)}`
  return covered + calculateChecksum(covered)
}

describe('an API key', () => {
  test('authenticates its tenant, and no other tenant sees the created objects', async () => {
    const mine = await world.send('get', path, tenant.admin).expect(200)
    expect(mine.body.data.map((key: { id: string }) => key.id)).toEqual([tenant.admin.id])
    await world.send('get', `${path}/${tenant.admin.id}`, other.admin).expect(404)
  })

  test('is rejected with the same response for every reason', async () => {
    const revoked = await tenant.keyWith(['apikey:ReadKey'])
    await world.send('delete', `${path}/${revoked.id}`, tenant.admin).expect(204)
    const disabled = await tenant.keyWith(['apikey:ReadKey'])
    await world.send('patch', `${path}/${disabled.id}`, tenant.admin).send({ enabled: false }).expect(200)
    const { bearer } = tenant.admin
    const traceId = randomUUID()
    const rejected = {
      unknown: { bearer: createValue('dev'), tenantId: tenant.id },
      malformed: { bearer: `${bearer.slice(0, -1)}${bearer.endsWith('x') ? 'y' : 'x'}`, tenantId: tenant.id },
      'of another environment': { bearer: createValue('prod'), tenantId: tenant.id },
      deleted: revoked,
      disabled,
      "with another tenant's id": { bearer, tenantId: other.id },
      'no credential at all': { bearer: '', tenantId: tenant.id },
      'not a token': { bearer: 'two words', tenantId: tenant.id },
    }
    for (const [reason, credential] of Object.entries(rejected)) {
      const reply = await world.send('get', path, { ...credential, traceId })
      expect([reason, reply.status, reply.headers['www-authenticate'], reply.headers['trace-id']]).toEqual([
        reason,
        401,
        'Bearer',
        traceId,
      ])
      expect([reason, reply.text]).toEqual([
        reason,
        JSON.stringify({
          type: '/problems/invalid_credentials',
          title: 'Invalid credentials',
          status: 401,
          detail: 'The request has no credential that is valid here',
          code: 'invalid_credentials',
          trace_id: traceId,
        }),
      ])
    }
  })

  test('that is malformed or of another environment is rejected without a call to api-key', async () => {
    world.apiKey.server.closeIdleConnections()
    let lookups = 0
    const count = ({ url }: IncomingMessage) => {
      if (url === '/internal/keys/identify') lookups += 1
    }
    world.apiKey.server.on('request', count)
    for (const bearer of [createValue('qa'), 'psk_dev_short', `${createValue('dev')}0`]) {
      await world.send('get', path, { bearer, tenantId: tenant.id }).expect(401)
    }
    expect(lookups).toBe(0)
    await world.send('get', path, { bearer: createValue('dev'), tenantId: tenant.id }).expect(401)
    expect(lookups).toBe(1)
    world.apiKey.server.off('request', count)
  })

  test('that expires is rejected from that instant', async () => {
    const soon = await tenant.keyWith(['apikey:ReadKey'])
    const expiresAt = new Date(Date.now() + 400).toISOString()
    await world.send('patch', `${path}/${soon.id}`, tenant.admin).send({ expires_at: expiresAt }).expect(200)
    const statuses: number[] = []
    while (!statuses.includes(401) && statuses.length < 1000) {
      const sentAt = Date.now()
      const { status } = await world.send('get', path, soon)
      statuses.push(status)
      if (sentAt >= Date.parse(expiresAt)) expect(status).toBe(401)
    }
    expect(statuses.at(-1)).toBe(401)
  })

  test('is accepted in the Authorization header only', async () => {
    const { bearer, tenantId } = tenant.admin
    const reply = await request(world.url)
      .get(`${path}?authorization=${bearer}`)
      .set({ 'X-Api-Key': bearer, Cookie: `authorization=${bearer}`, 'Tenant-ID': tenantId, 'Trace-ID': randomUUID() })
    expect(reply.status).toBe(401)
  })

  test('is accepted with scheme and tenant id in upper or lower case', async () => {
    const { bearer, tenantId } = tenant.admin
    const headers = { 'Trace-ID': randomUUID(), 'Tenant-ID': tenantId.toUpperCase(), Authorization: `bearer ${bearer}` }
    expect((await request(world.url).get(path).set(headers)).status).toBe(200)
  })
})

describe('the precedence of rejections', () => {
  const everythingWrong = { Authorization: 'Bearer nonsense', 'Trace-ID': 'x', 'Tenant-ID': 'y' }

  test('a repeated single header is rejected first', async () => {
    for (const name of ['Authorization', 'Tenant-ID', 'Trace-ID', 'Idempotency-Key', 'Host']) {
      const reply = await sendRaw(
        world.port,
        `GET /nowhere HTTP/1.0\r\nConnection: close\r\n${name}: a\r\n${name.toLowerCase()}: a\r\n\r\n`,
      )
      expect(reply).toMatch(/^HTTP\/1\.1 400 /)
      expect(reply).toContain(`"errors":[{"pointer":"/headers/${name}","detail":"must be given once"}]`)
      expect(reply).toMatch(/\r\nTrace-ID: [0-9a-f-]{36}\r\n/)
    }
  })

  test('an unknown path is 404 before authentication, and paths are case-sensitive', async () => {
    const unknown = ['/v1', '/v1/api-key', '/v1/api-key/Keys', '/V1/api-key/keys', '/v1/api-key/keys/']
    for (const target of [...unknown, '/v1/%61pi-key/keys', '/internal/tenants', '/metrics']) {
      const reply = await request(world.url).get(target).set(everythingWrong)
      expect([target, reply.status, reply.body.code]).toEqual([target, 404, 'route_not_found'])
    }
  })

  test('another method is 405 with the allowed methods', async () => {
    const reply = await request(world.url).put(path).set(everythingWrong)
    expect([reply.status, reply.body.code]).toEqual([405, 'method_not_allowed'])
    expect(reply.headers['allow']?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST'])
    await request(world.url).options(path).expect(405)
  })

  test('an invalid credential is 401 before the other headers are checked', async () => {
    const reply = await request(world.url).get(path).set(everythingWrong)
    expect([reply.status, reply.body.code]).toEqual([401, 'invalid_credentials'])
    expect(reply.headers['trace-id']).toBe(reply.body.trace_id)
    expect(reply.body.trace_id).not.toBe('x')
  })

  test('with a valid credential, a missing or malformed header is 400 and named', async () => {
    const { bearer, tenantId } = tenant.admin
    const Authorization = `Bearer ${bearer}`
    const cases: [Record<string, string>, string[]][] = [
      [{ Authorization }, ['Trace-ID is missing', 'Tenant-ID is missing']],
      [{ Authorization, 'Trace-ID': 'x', 'Tenant-ID': tenantId }, ['Trace-ID must be a UUID']],
      [{ Authorization, 'Trace-ID': randomUUID(), 'Tenant-ID': 'x' }, ['Tenant-ID must be a UUID']],
      [{ Authorization, 'Trace-ID': randomUUID(), Tenant_ID: tenantId }, ['Tenant-ID is missing']],
    ]
    for (const [headers, expected] of cases) {
      const reply = await request(world.url).get(path).set(headers)
      expect([reply.status, reply.body.code]).toEqual([400, 'invalid_header'])
      const { errors } = reply.body as { errors: { pointer: string; detail: string }[] }
      expect(errors.map(({ pointer, detail }) => `${pointer.slice(9)} ${detail}`)).toEqual(expected)
    }
  })

  test('a missing permission is 403 and named, and no request reaches the service', async () => {
    const reader = await tenant.keyWith(['apikey:ReadKey'])
    const reply = await world.send('post', path, reader).send({ name: 1 })
    expect([reply.status, reply.body.code]).toEqual([403, 'permission_denied'])
    expect(reply.body.detail).toContain('apikey:CreateKey')
  })

  test('an endpoint for every credential needs no permission, and still a valid credential and its address', async () => {
    const own = `${path}/self`
    const weak = await tenant.keyWith([])
    const reply = await world.send('get', own, weak)
    expect([reply.status, reply.body.id, reply.body.tenant_id]).toEqual([200, weak.id, tenant.id])
    const token = world.issuer.token(tenant.id, ['admin'])
    const user = await world.send('get', own, { bearer: token })
    expect([user.status, user.body.code]).toEqual([404, 'not_an_api_key'])
    expect((await world.send('get', own, { ...weak, bearer: 'guess' })).status).toBe(401)
    await world
      .send('patch', `${path}/${weak.id}`, tenant.admin)
      .send({ allowed_cidrs: ['192.0.2.0/24'] })
      .expect(200)
    expect((await world.send('get', own, weak)).body.code).toBe('address_not_allowed')
  })

  test('every response has the trace id of its request', async () => {
    for (const [method, target, credential, status] of [
      ['get', path, tenant.admin, 200],
      ['get', '/nowhere', tenant.admin, 404],
      ['put', path, tenant.admin, 405],
      ['get', `${path}/${randomUUID()}`, tenant.admin, 404],
      ['get', '/healthz', tenant.admin, 200],
    ] as const) {
      const traceId = randomUUID().toUpperCase()
      const reply = await world.send(method, target, { ...credential, traceId }).expect(status)
      expect(reply.headers['trace-id']).toBe(traceId)
    }
  })
})

describe('a tenant', () => {
  test('that is suspended gets tenant_suspended, regardless of permissions', async () => {
    const unlucky = await world.tenant()
    const weak = await unlucky.keyWith([])
    await unlucky.suspend()
    for (const key of [unlucky.admin, weak]) {
      const reply = await world.send('get', path, key)
      expect([reply.status, reply.body.code]).toEqual([403, 'tenant_suspended'])
    }
    await world.send('get', path, { ...unlucky.admin, tenantId: tenant.id }).expect(401)
  })
})

describe('an authorization change applies to the next request', () => {
  test('roles granted and removed, key disabled and enabled', async () => {
    const key = await tenant.keyWith([])
    await world.send('get', path, key).expect(403)
    await world
      .send('put', `${path}/${key.id}/roles`, tenant.admin)
      .send({ role_ids: [tenant.adminRole] })
      .expect(200)
    await world.send('get', path, key).expect(200)
    await world.send('patch', `${path}/${key.id}`, tenant.admin).send({ enabled: false }).expect(200)
    await world.send('get', path, key).expect(401)
    await world.send('patch', `${path}/${key.id}`, tenant.admin).send({ enabled: true }).expect(200)
    await world.send('get', path, key).expect(200)
    await world.send('delete', `${path}/${key.id}`, tenant.admin).expect(204)
    expect((await world.send('get', path, key)).status).toBe(401)
  })
})

describe('when an authorization source does not respond', () => {
  test('the response is 503 authorization_unavailable with Retry-After, without a guess', async () => {
    const lonely = await startWorld()
    const { admin } = await lonely.tenant()
    await lonely.send('get', path, admin).expect(200)
    await stopServer(lonely.rbac.server, 0)
    // A lease granted before may still be valid.
    await delay(2 * leaseMs)
    const reply = await lonely.send('get', '/v1/payment-proxy/transactions', admin)
    expect([reply.status, reply.body.code, reply.headers['retry-after']]).toEqual([
      503,
      'authorization_unavailable',
      '1',
    ])
    expect(JSON.stringify(reply.body)).not.toContain('127.0.0.1')
    const exported = await lonely.metrics.registry.metrics()
    const findSample = (name: string) =>
      Number(
        exported
          .split('\n')
          .find((line) => line.startsWith(name))
          ?.split(' ')
          .at(-1),
      )
    expect(
      findSample('gateway_authorization_read_seconds_count{service="gateway",source="rbac",outcome="failed"'),
    ).toBeGreaterThan(0)
    expect(
      findSample('gateway_authorization_read_seconds_count{service="gateway",source="api-key",outcome="failed"'),
    ).toBe(0)
    expect(findSample('gateway_authorization_lease_age_seconds{source="rbac"')).toBeGreaterThan(0)
    expect(findSample('gateway_problems_total{code="authorization_unavailable"')).toBe(1)
    // Every replica lacks the source alike, so none is taken out of service.
    const health = await request(lonely.url).get('/readyz').expect(200)
    expect(health.body).toEqual({ status: 'ready', reasons: {}, degraded: { rbac: 'cannot be reached' } })
    await lonely.stop()
  })
})

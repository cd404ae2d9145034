import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import request from 'supertest'
import { auditIn, credentialHeaders, sendRaw, startWorld, type TestTenant, until, type World } from './world.ts'

let world: World
let tenant: TestTenant

beforeAll(async () => {
  world = await startWorld()
  tenant = await world.tenant()
})
afterAll(() => world.stop())

const path = '/v1/api-key/keys'
const anonymous = { tenant_id: null, actor: { type: 'anonymous', id: null } }

test('a record names actor, operation and outcome', async () => {
  const traceId = randomUUID()
  await world
    .send('get', `${path}?limit=1`, { ...tenant.admin, traceId })
    .set('User-Agent', 'test/1')
    .expect(200)
  expect(await world.findAuditRecord(traceId)).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    occurred_at: expect.any(String),
    trace_id: traceId,
    tenant_id: tenant.id,
    actor: { type: 'api_key', id: tenant.admin.id },
    client: null,
    method: 'GET',
    path,
    operation: 'listKeys',
    permission: 'apikey:ReadKey',
    outcome: 'success',
    status: 200,
    code: null,
    ip: '127.0.0.1',
    user_agent: 'test/1',
    duration_ms: expect.any(Number),
    client_gone: false,
    count: 1,
  })
})

test.each([
  ['in a path', `${path}/4111111111111111`, 'test/1'],
  ['percent-encoded in a path', `${path}/4111%2D1111%2D1111%2D%31111`, 'test/1'],
  ['in a path that no endpoint has', '/4111/1111/1111/1111', 'test/1'],
  ['in a target that is rejected', '/x//4111111111111111', 'test/1'],
  ['in the User-Agent', path, 'test/1 4111 1111 1111 1111'],
])('no card number %s is in a record or a log line', async (_where, target, userAgent) => {
  const from = world.lines.length
  for (const credential of [`Authorization: Bearer ${tenant.admin.bearer}\r\nTenant-ID: ${tenant.id}\r\n`, '']) {
    const traceId = randomUUID()
    const headers = `Host: a\r\nTrace-ID: ${traceId}\r\nUser-Agent: ${userAgent}\r\nConnection: close\r\n${credential}`
    await sendRaw(world.port, `GET ${target} HTTP/1.1\r\n${headers}\r\n`)
    const record = await world.findAuditRecord(traceId)
    expect(JSON.stringify(record)).toContain('card')
    expect(JSON.stringify([record, world.lines.slice(from)])).not.toMatch(/4111(?:%2D|[/ ])?1111|1111%/)
  }
})

test.each([
  ['the path of an endpoint', (value: string) => `${path}/${value}`],
  ['a path that no endpoint has', (value: string) => `/v2/keys/${value}/reveal`],
  ['a target that is rejected', (value: string) => `/x//${value}`],
])('no value of an API key in %s is in a record or a log line', async (_where, writeTarget) => {
  const from = world.lines.length
  const { bearer } = tenant.admin
  for (const credential of [`Authorization: Bearer ${bearer}\r\nTenant-ID: ${tenant.id}\r\n`, '']) {
    const traceId = randomUUID()
    const headers = `Host: a\r\nTrace-ID: ${traceId}\r\nUser-Agent: ${bearer}\r\nConnection: close\r\n${credential}`
    await sendRaw(world.port, `GET ${writeTarget(bearer)} HTTP/1.1\r\n${headers}\r\n`)
    const record = await world.findAuditRecord(traceId)
    expect(record).toMatchObject({ path: writeTarget('%5Bcredential%5D'), user_agent: '[credential]' })
    expect(JSON.stringify([record, world.lines.slice(from)])).not.toContain(bearer.slice(-30))
  }
})

test('a record has the time of arrival and the duration', async () => {
  const traceId = randomUUID()
  let reachedAt = 0
  world.upstream.respond((_request, response) => {
    reachedAt = Date.now()
    setTimeout(() => response.end('{}'), 300)
  })
  const sentAt = Date.now()
  await world.send('get', '/v1/payment-proxy/transactions', { ...tenant.admin, traceId }).expect(200)
  const record = await world.findAuditRecord(traceId)
  expect(Date.parse(record.occurred_at)).toBeGreaterThanOrEqual(sentAt - 2)
  expect(Date.parse(record.occurred_at)).toBeLessThanOrEqual(reachedAt + 2)
  expect(record.duration_ms).toBeGreaterThanOrEqual(290)
  expect(record.duration_ms).toBeLessThanOrEqual(Date.now() - sentAt + 2)
})

test('a rejected request leaves a record with the code of the response', async () => {
  const weak = await tenant.keyWith([])
  const cases = [
    [
      { ...tenant.admin, bearer: 'guess' },
      path,
      { ...anonymous, outcome: 'denied', status: 401, code: 'invalid_credentials', operation: 'listKeys' },
    ],
    [
      tenant.admin,
      '/unknown',
      { ...anonymous, outcome: 'rejected', status: 404, code: 'route_not_found', operation: null },
    ],
    [weak, path, { tenant_id: tenant.id, outcome: 'denied', status: 403, code: 'permission_denied' }],
    [tenant.admin, `${path}/${randomUUID()}`, { outcome: 'rejected', status: 404, code: 'key_not_found' }],
    [tenant.admin, `${path}?limit=0`, { outcome: 'rejected', status: 400, code: 'invalid_request' }],
  ] as const
  for (const [credential, target, expected] of cases) {
    const traceId = randomUUID()
    await world.send('get', target, { ...credential, traceId })
    expect(await world.findAuditRecord(traceId)).toMatchObject(expected)
  }
})

test('a request that cannot be parsed leaves a record', async () => {
  const response = await sendRaw(world.port, 'GET / HTTP/1.1\r\nTenant-ID : x\r\n\r\n')
  const traceId = String(/\r\nTrace-ID: (\S+)/.exec(response)?.[1])
  expect(await world.findAuditRecord(traceId)).toMatchObject({
    ...anonymous,
    method: null,
    path: '/',
    operation: null,
    outcome: 'rejected',
    status: 400,
    code: 'invalid_header',
    ip: '127.0.0.1',
  })
})

test.each([0, 1, 8, 11, 12, 27, 127, 128, 192, 255])(
  'a request with the byte %i in its target leaves a record',
  async (byte) => {
    const target = Buffer.concat([Buffer.from('/v1/probe'), Buffer.from([byte]), Buffer.from('x')])
    const head = Buffer.concat([
      Buffer.from('GET '),
      target,
      Buffer.from(' HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
    ])
    const response = await sendRaw(world.port, head)
    const traceId = String(/\r\nTrace-ID: (\S+)/i.exec(response)?.[1])
    const record = await world.findAuditRecord(traceId)
    expect(record.status).toBe(Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1]))
    expect(record.path).toMatch(/^\/v1\/probe/)
  },
)

test('a request that cannot be parsed gets 503 and is counted, while the spool takes no record', async () => {
  const folded: string[] = []
  const full = await startWorld({
    alter: (deps) => ({
      ...deps,
      audit: { ...deps.audit, reserve: () => false, fold: (address) => void folded.push(address) },
    }),
  })
  for (const head of ['GET / HTTP/1.1\r\nTenant-ID : x', 'CONNECT a:1 HTTP/1.1\r\nHost: a']) {
    const response = await sendRaw(full.port, `${head}\r\n\r\n`)
    expect(response).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nRetry-After: 5\r\n[\s\S]*"code":"audit_unavailable"/)
  }
  expect(folded).toEqual(['127.0.0.1', '127.0.0.1'])
  await full.stop()
})

test('a request whose record cannot be written gets 503, although no parser could read it', async () => {
  const failing = await startWorld({
    alter: (deps) => ({
      ...deps,
      audit: {
        ...deps.audit,
        append: (record, isDurable, done) =>
          deps.audit.append(record, isDurable, () => done(new Error('the disk is full'))),
      },
    }),
  })
  const response = await sendRaw(failing.port, 'GET / HTTP/1.1\r\nTenant-ID : x\r\n\r\n')
  expect(response).toMatch(/^HTTP\/1\.1 503 [\s\S]*"code":"audit_unavailable"/)
  await failing.stop()
})

test('a CONNECT is rejected and leaves a record', async () => {
  const response = await sendRaw(
    world.port,
    'CONNECT 10.0.0.1:443?a=b HTTP/1.1\r\nHost: a\r\nUser-Agent: tunnel/1\r\n\r\n',
  )
  expect(response).toMatch(/^HTTP\/1\.1 405 /)
  expect(response).toContain('"code":"method_not_allowed"')
  const traceId = String(/\r\nTrace-ID: (\S+)/.exec(response)?.[1])
  expect(await world.findAuditRecord(traceId)).toMatchObject({
    ...anonymous,
    method: 'CONNECT',
    path: '10.0.0.1:443',
    operation: null,
    outcome: 'rejected',
    status: 405,
    code: 'method_not_allowed',
    ip: '127.0.0.1',
    user_agent: 'tunnel/1',
  })
})

test('a CONNECT whose client resets the connection does not end the gateway', async () => {
  const socket = connect(world.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')
  socket.resetAndDestroy()
  expect((await world.send('get', path, tenant.admin)).status).toBe(200)
})

test.each(['websocket', 'TLS/1.0', 'h2c, websocket'])(
  'an Upgrade to %s is rejected and leaves a record',
  async (protocol) => {
    const traceId = randomUUID()
    const response = await sendRaw(
      world.port,
      `GET ${path} HTTP/1.1\r\nHost: a\r\nTrace-ID: ${traceId}\r\nConnection: Upgrade, close\r\nUpgrade: ${protocol}\r\n\r\n`,
    )
    expect(response).toMatch(/^HTTP\/1\.1 400 /)
    expect(response).toContain('"pointer":"/headers/Upgrade"')
    expect(await world.findAuditRecord(traceId)).toMatchObject({
      ...anonymous,
      outcome: 'rejected',
      code: 'invalid_header',
    })
  },
)

test('an Upgrade to h2c is ignored, and its request leaves a record', async () => {
  const traceId = randomUUID()
  const headers = {
    ...credentialHeaders({ ...tenant.admin, traceId }),
    Host: 'a',
    Upgrade: 'h2c',
    Connection: 'Upgrade, close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const response = await sendRaw(world.port, [`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
  expect(response).toMatch(/^HTTP\/1\.1 200 /)
  expect(await world.findAuditRecord(traceId)).toMatchObject({ operation: 'listKeys', outcome: 'success' })
})

test('each request leaves exactly one record, with the status of the response', async () => {
  const responses = await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      const traceId: string = randomUUID()
      const { status } = await world.send('get', i % 2 === 0 ? path : '/unknown', { ...tenant.admin, traceId })
      return [traceId, status] as const
    }),
  )
  const traceIds = new Set(responses.map(([traceId]) => traceId))
  const records = auditIn(world.auditDirectory).filter(({ trace_id }) => traceIds.has(trace_id))
  expect(records).toHaveLength(responses.length)
  expect(new Map(records.map(({ trace_id, status }) => [trace_id, status]))).toEqual(new Map(responses))
})

test('no secret is in the log or the audit file', async () => {
  const created = await world.send('post', path, tenant.admin).send({ name: 'a secret name' }).expect(201)
  await world.send('get', `${path}/${created.body.id}/reveal?token=sesame`, tenant.admin)
  await world.send('get', path, { bearer: `psk_dev_${'0'.repeat(49)}`, tenantId: tenant.id })
  const traceId = randomUUID()
  await world.send('get', '/readyz', { ...tenant.admin, traceId }).expect(200)
  await world.findAuditRecord(traceId)
  const log = JSON.stringify([world.lines, auditIn(world.auditDirectory)])
  for (const secret of [tenant.admin.bearer, created.body.value, 'sesame', '0'.repeat(49), 'a secret name']) {
    expect(log).not.toContain(secret)
  }
})

test('a request without a failure needs no log line beside its record, and a failed one has both', async () => {
  const gateway = await world.addGateway({ LOG_REQUEST_SHARE: '0' })
  const send = async (status: number, target: string) => {
    const traceId = randomUUID()
    await request(gateway.url)
      .get(target)
      .set(credentialHeaders({ ...tenant.admin, traceId }))
      .expect(status)
    const recorded = await until(() => auditIn(gateway.auditDirectory).find((record) => record.trace_id === traceId))
    expect(recorded.status).toBe(status)
    return traceId
  }
  const [succeeded, failed] = [await send(200, path), await send(404, '/v1/nothing')]
  await until(() => world.lines.find((line) => line['trace_id'] === failed))
  expect(world.lines.filter((line) => line['trace_id'] === succeeded)).toEqual([])
  await gateway.stop()
})

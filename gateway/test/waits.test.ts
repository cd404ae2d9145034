import { randomUUID } from 'node:crypto'
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createMetrics } from '@payments/chassis/process/metrics'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { createFolds, foldWait } from '../src/audit/folds.ts'
import { createRecordObserver } from '../src/audit/metrics.ts'
import { createWaits } from '../src/limits/waits.ts'
import { auditIn, credentialHeaders, startWorld, type TestTenant, until, type World } from './world.ts'

const path = '/v1/webhooks/changes'
const changed = JSON.stringify({ topics: ['deliveries'], next_cursor: 'WzFd' })

let world: World
let tenant: TestTenant
/** The waits that reached the service. */
let open: { incoming: IncomingMessage; response: ServerResponse }[] = []
beforeAll(async () => {
  world = await startWorld({ env: { UPSTREAM_REQUESTS_PER_TENANT_MAX: '1', UPSTREAM_WAITING_MAX: '1' } })
})
afterAll(() => world.stop())
beforeEach(async () => {
  open = []
  tenant = await world.tenant()
  world.upstream.respond((incoming, response) => {
    if (incoming.url?.startsWith(path) === true) open.push({ incoming, response })
    else response.end('{}')
  })
})
afterEach(() => endAll())

function endAll() {
  for (const { response } of open) {
    if (!response.headersSent) response.writeHead(200, { 'Content-Type': 'application/json' }).end(changed)
  }
}

/** Sends a wait and returns its response, a promise. */
function wait(traceId: string = randomUUID(), credential = tenant.admin) {
  const sent = world.send('get', path, { ...credential, traceId })
  return sent.then(({ status, body, headers }) => ({ status, body, headers }))
}

const reached = (count: number) => until(() => (open.length === count ? true : undefined))

test('a wait needs no permit of its service, and its response arrives when the service responds', async () => {
  const waits = [wait(), wait()]
  await reached(2)
  await world.send('get', '/v1/webhooks/dead-letters', tenant.admin).expect(200)
  endAll()
  for (const { status, body } of await Promise.all(waits)) {
    expect([status, body]).toEqual([200, { topics: ['deliveries'], next_cursor: 'WzFd' }])
  }
})

test('an API key has six waits at the same time', async () => {
  const waits = Array.from({ length: 6 }, () => wait())
  await reached(6)
  const seventh = await wait()
  expect([seventh.status, seventh.body.code, seventh.headers['retry-after']]).toEqual([429, 'rate_limited', '1'])
  endAll()
  expect((await Promise.all(waits)).map(({ status }) => status)).toEqual(waits.map(() => 200))
  const next = wait()
  await reached(7)
  endAll()
  expect((await next).status).toBe(200)
})

test('a request with wait_seconds=0 is no wait: it needs a permit of its service', async () => {
  const waits = Array.from({ length: 6 }, () => wait())
  await reached(6)
  const poll = world.send('get', `${path}?after=WzFd&wait_seconds=0`, tenant.admin).then(({ status }) => status)
  await reached(7)
  // The permit of the tenant at its service is taken.
  const other = world.send('get', '/v1/webhooks/dead-letters', tenant.admin).then(({ status }) => status)
  const refused = await world.send('get', `${path}?wait_seconds=0&wait_seconds=20`, tenant.admin)
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  endAll()
  expect(await Promise.all([poll, other])).toEqual([200, 200])
  expect((await Promise.all(waits)).map(({ status }) => status)).toEqual(waits.map(() => 200))
})

test.each([
  ['was deleted', { status: 401, code: 'invalid_credentials' }],
  ['lost its roles', { status: 403, code: 'permission_denied' }],
])('a caller whose key %s meanwhile learns nothing', async (_, rejection) => {
  const role = await world.rbac.role(tenant.id, ['webhook:ReadDelivery'])
  const key = await tenant.keyWith([])
  const keyPath = `/v1/api-key/keys/${key.id}`
  await world
    .send('put', `${keyPath}/roles`, tenant.admin)
    .send({ role_ids: [role.id] })
    .expect(200)
  const traceId = randomUUID()
  const pending = wait(traceId, key)
  await reached(1)
  if (rejection.status === 403)
    await world.send('put', `${keyPath}/roles`, tenant.admin).send({ role_ids: [] }).expect(200)
  else await world.send('delete', keyPath, tenant.admin).expect(204)
  endAll()
  const { status, body } = await pending
  expect([status, body.code, body.topics]).toEqual([rejection.status, rejection.code, undefined])
  expect(await world.findAuditRecord(traceId)).toMatchObject({ ...rejection, outcome: 'denied', count: 1 })
})

test('a wait ends at the service when its client leaves, and releases its permit', async () => {
  for (let count = 1; count <= 8; count += 1) {
    const sent = httpRequest(`${world.url}${path}`, { headers: credentialHeaders(tenant.admin), agent: false })
    sent.on('error', () => {}).end()
    await reached(count)
    const left = new Promise((resolve) => open.at(-1)?.incoming.once('close', resolve))
    sent.destroy()
    await left
    await until(() => (world.forwarding.calls.size === 0 ? true : undefined))
  }
  expect(open).toHaveLength(8)
})

test('a successful wait shares one audit record, and a rejected one has its own', async () => {
  const [folded, rejected] = [randomUUID(), randomUUID()]
  const pending = wait(folded)
  await reached(1)
  endAll()
  await pending
  await wait(rejected, { ...tenant.admin, bearer: 'sk_dev_wrong' })
  expect((await world.findAuditRecord(rejected)).status).toBe(401)
  expect(auditIn(world.auditDirectory).filter((record) => record.trace_id === folded)).toEqual([])
})

test('waits that their client leaves share one audit record', async () => {
  const traceIds: string[] = [randomUUID(), randomUUID()]
  for (const [index, traceId] of traceIds.entries()) {
    const headers = credentialHeaders({ ...tenant.admin, traceId })
    const sent = httpRequest(`${world.url}${path}`, { headers, agent: false })
    sent.on('error', () => {}).end()
    await reached(index + 1)
    sent.destroy()
    await until(() => (world.forwarding.calls.size === 0 ? true : undefined))
  }
  const later = randomUUID()
  await wait(later, { ...tenant.admin, bearer: 'sk_dev_wrong' })
  expect((await world.findAuditRecord(later)).status).toBe(401)
  expect(auditIn(world.auditDirectory).filter(({ trace_id }) => traceIds.includes(trace_id))).toEqual([])
})

test('a drain ends every wait, and admits no other', async () => {
  const draining = await startWorld()
  const { admin } = await draining.tenant()
  let arrived = 0
  draining.upstream.respond(() => void (arrived += 1))
  const send = () => draining.send('get', path, admin).then(({ status, body }) => [status, body.code])
  const waits = [send(), send()]
  await until(() => (arrived === 2 ? true : undefined))
  await draining.gateway.deps.waits.stop()
  for (const each of [...waits, send()]) expect(await each).toEqual([503, 'service_unavailable'])
  await draining.stop()
})

describe('permits of waits', () => {
  const of = (tenantId: string, id: string) => ({ tenantId, actor: { type: 'user' as const, id } })
  const rejected = (acquired: Promise<unknown>) =>
    acquired.then(
      () => undefined,
      (error: { code?: string }) => error.code,
    )

  test('are limited per user, per tenant and in all, and a rejection takes none', async () => {
    const waits = createWaits({ totalMax: 4, perTenantMax: 3, perActorMax: 2 })
    const releases = [await waits.acquire(of('a', '1')), await waits.acquire(of('a', '1'))]
    expect(await rejected(waits.acquire(of('a', '1')))).toBe('rate_limited')
    releases.push(await waits.acquire(of('a', '2')))
    expect(await rejected(waits.acquire(of('a', '3')))).toBe('rate_limited')
    releases.push(await waits.acquire(of('b', '1')))
    expect(await rejected(waits.acquire(of('c', '1')))).toBe('service_unavailable')
    for (const release of releases) release()
    expect(await rejected(waits.acquire(of('a', '3')))).toBeUndefined()
  })
})

test('the duration of a wait is in no latency of the gateway', async () => {
  const metrics = createMetrics('gateway')
  const observe = createRecordObserver(metrics)
  const record = { operation: 'readChanges', status: 499, duration_ms: 19_000, code: null } as AuditRecord
  for (const operation of ['readChanges', 'listDeliveries']) observe({ ...record, operation })
  const sums = (await metrics.registry.metrics()).match(/^http_request_duration_seconds_sum.*$/gm)
  expect(sums?.map((line) => line.split(' ').at(-1)).sort()).toEqual(['0', '19'])
})

describe('audit records of waits', () => {
  const createRecord = (given: Partial<AuditRecord>) =>
    ({ tenant_id: 't', actor: { type: 'user', id: '1' }, operation: 'readChanges', count: 1, ...given }) as AuditRecord

  test('are one per tenant, actor, operation and status, with the number of waits', () => {
    const written: AuditRecord[] = []
    const folds = createFolds({ write: (record) => written.push(record) > 0, subjectsMax: 4 })
    const others = [{ tenant_id: 'u' }, { actor: { type: 'user' as const, id: '2' } }, { status: 499 }]
    for (const given of [{}, ...others, {}, {}]) expect(foldWait(folds, createRecord(given))).toBe(true)
    expect(foldWait(folds, createRecord({ operation: 'another' }))).toBe(false)
    folds.close()
    expect(written.map(({ count }) => count)).toEqual([3, 1, 1, 1])
  })

  test('without capacity of the spool, a count is written later', () => {
    const written: AuditRecord[] = []
    let isFull = true
    const folds = createFolds({ write: (record) => !isFull && written.push(record) > 0, intervalMs: 1_000_000 })
    foldWait(folds, createRecord({}))
    folds.close()
    isFull = false
    foldWait(folds, createRecord({}))
    folds.close()
    expect(written.map(({ count }) => count)).toEqual([2])
  })
})

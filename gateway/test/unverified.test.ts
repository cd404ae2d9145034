import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import request from 'supertest'
import { createFolds, foldUnverified } from '../src/audit/folds.ts'
import { auditIn, sendRaw, startWorld, type World } from './world.ts'

const path = '/v1/payment-proxy/transactions'
const perMinute = 5

async function withWorld(env: Record<string, string>, work: (world: World) => Promise<void>): Promise<void> {
  const world = await startWorld({ env })
  try {
    await work(world)
  } finally {
    await world.stop()
  }
}

const unverifiedRecords = (world: World) => auditIn(world.auditDirectory).filter(({ tenant_id }) => tenant_id === null)
const foldedIn = async (world: World) =>
  Number(/audit_folded_requests_total\{[^}]*\} (\d+)/.exec(await world.metrics.registry.metrics())?.[1] ?? 0)

describe('requests without a verified credential, beyond the allowance of their address', () => {
  test.each([
    ['unknown paths', (world: World) => request(world.url).get(`/v1/${randomUUID()}`)],
    [
      'unknown paths with a credential',
      (world: World) => request(world.url).get('/no').set('Authorization', 'Bearer x'),
    ],
    ['pages', (world: World) => request(world.url).get('/docs')],
    ['health checks', (world: World) => request(world.url).get('/healthz')],
    ['endpoints without a credential', (world: World) => request(world.url).get(path)],
  ])('%s get 429 with Retry-After and no separate audit record', async (_kind, send) => {
    await withWorld({ UNVERIFIED_REQUESTS_PER_MINUTE: String(perMinute) }, async (world) => {
      for (let i = 0; i < perMinute; i++) expect((await send(world)).status).not.toBe(429)
      for (let i = 0; i < 3; i++) {
        const reply = await send(world)
        expect([reply.status, reply.body.code]).toEqual([429, 'rate_limited'])
        expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
        expect(reply.headers['ratelimit-policy']).toBe(`"address";q=${perMinute};w=60`)
        expect(reply.headers['ratelimit']).toMatch(/^"address";r=0;t=\d+$/)
      }
      expect(unverifiedRecords(world)).toHaveLength(perMinute)
      expect(await foldedIn(world)).toBe(3)
    })
  })

  test('images and frames on pages of other sites take nothing from the people at their address', async () => {
    await withWorld({ UNVERIFIED_REQUESTS_PER_MINUTE: String(perMinute) }, async (world) => {
      const embedded = (destination: string) =>
        request(world.url).get('/no').set({ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': destination })
      for (const destination of ['image', 'iframe', 'empty', 'script', 'image']) {
        expect((await embedded(destination)).status).toBe(404)
      }
      expect((await embedded('image')).status).toBe(429)
      const page = (site: string) =>
        request(world.url).get('/docs').set({ 'Sec-Fetch-Site': site, 'Sec-Fetch-Dest': 'document' })
      for (let i = 0; i < perMinute; i++) expect((await page('cross-site')).status).toBe(200)
      expect((await page('none')).status).toBe(429)
    })
  })

  test('rejected credentials get no separate audit record', async () => {
    await withWorld({ UNVERIFIED_REQUESTS_PER_MINUTE: String(perMinute) }, async (world) => {
      const guess = () => request(world.url).get(path).set('Authorization', `Bearer ${randomUUID()}`)
      for (let i = 0; i < perMinute + 4; i++) await guess()
      expect(unverifiedRecords(world)).toHaveLength(perMinute)
      expect(await foldedIn(world)).toBe(4)
    })
  })

  test('requests that cannot be parsed get 429 too', async () => {
    await withWorld({ UNVERIFIED_REQUESTS_PER_MINUTE: '1' }, async (world) => {
      expect(await sendRaw(world.port, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
      const reply = await sendRaw(world.port, 'nonsense\r\n\r\n')
      expect(reply).toMatch(/^HTTP\/1\.1 429 /)
      expect(reply).toMatch(/\r\nRetry-After: \d+\r\n/)
      expect(unverifiedRecords(world)).toHaveLength(1)
      expect(await foldedIn(world)).toBe(1)
    })
  })

  test.each([
    ['without a credential', ''],
    ['with a rejected one', 'Authorization: Bearer x\r\n'],
  ])('%s end their connection', async (_case, header) => {
    await withWorld({ UNVERIFIED_REQUESTS_PER_MINUTE: '1' }, async (world) => {
      await request(world.url).get('/nowhere')
      const startedAt = performance.now()
      const reply = await sendRaw(world.port, `GET ${path} HTTP/1.1\r\nHost: a\r\n${header}\r\n`)
      expect(reply).toMatch(/\r\nConnection: close\r\n/)
      expect(performance.now() - startedAt).toBeLessThan(20_000)
    })
  })

  test('do not block a client of the same address with a valid credential, and its requests are recorded', async () => {
    await withWorld({ UNVERIFIED_REQUESTS_PER_MINUTE: '1' }, async (world) => {
      const tenant = await world.tenant()
      for (let i = 0; i < 5; i++) await request(world.url).get('/nowhere')
      for (let i = 0; i < 5; i++) await world.send('get', path, tenant.admin).expect(200)
      const records = auditIn(world.auditDirectory).filter(({ tenant_id }) => tenant_id === tenant.id)
      expect(records).toHaveLength(5)
    })
  })

  test('have at most 256 characters of their path in the audit record', async () => {
    await withWorld({}, async (world) => {
      const traceId = randomUUID()
      await request(world.url)
        .get(`/${'x'.repeat(2_000)}`)
        .set('Trace-ID', traceId)
      expect((await world.findAuditRecord(traceId)).path).toHaveLength(256)
    })
  })
})

describe('a part of the audit spool is reserved for verified requests', () => {
  test('a tenant is served and recorded while unverified requests are rejected', async () => {
    const env = { AMQP_URL: 'amqp://127.0.0.1:9/', AUDIT_FILE_BYTES_MAX: String(256 * 1024) }
    await withWorld(env, async (world) => {
      const tenant = await world.tenant()
      let last = 0
      for (let i = 0; i < 1_000 && last !== 503; i++) last = (await request(world.url).get('/nowhere')).status
      expect(last).toBe(503)
      const guess = { ...tenant.admin, bearer: 'guess' }
      for (let i = 0; i < 30; i++) expect((await world.send('get', path, guess)).status).toBe(401)
      const before = unverifiedRecords(world).length
      for (let i = 0; i < 30; i++) expect((await world.send('get', path, guess)).status).toBe(401)
      expect(unverifiedRecords(world)).toHaveLength(before)
      for (let i = 0; i < 50; i++) await world.send('get', path, tenant.admin).expect(200)
      expect(auditIn(world.auditDirectory).filter(({ tenant_id }) => tenant_id === tenant.id)).toHaveLength(50)
    })
  })
})

describe('folded requests', () => {
  const startFolds = (write: (record: AuditRecord) => boolean, subjectsMax = 10) => {
    const folds = createFolds({ write, subjectsMax })
    return { add: (address: string) => foldUnverified(folds, address), close: folds.close }
  }

  test('are one record per address with their count', () => {
    const written: AuditRecord[] = []
    const folds = startFolds((record) => written.push(record) > 0)
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.1']) folds.add(address)
    folds.close()
    expect(written.map(({ ip, count, status, code }) => ({ ip, count, status, code }))).toEqual([
      { ip: '192.0.2.1', count: 2, status: 429, code: 'rate_limited' },
      { ip: '192.0.2.2', count: 1, status: 429, code: 'rate_limited' },
    ])
  })

  test('of more addresses than the maximum are counted together, and none is lost', () => {
    const written: AuditRecord[] = []
    const folds = startFolds((record) => written.push(record) > 0, 3)
    for (let i = 0; i < 100; i++) folds.add(`192.0.2.${i}`)
    folds.close()
    expect(written.map(({ ip }) => ip)).toEqual(['192.0.2.0', '192.0.2.1', '192.0.2.2', ''])
    expect(written.reduce((sum, { count }) => sum + count, 0)).toBe(100)
  })

  test('stay counted while the spool has no capacity', () => {
    const written: AuditRecord[] = []
    let hasCapacity = false
    const folds = startFolds((record) => hasCapacity && written.push(record) > 0)
    folds.add('192.0.2.1')
    folds.close()
    hasCapacity = true
    folds.add('192.0.2.1')
    folds.close()
    expect(written.map(({ count }) => count)).toEqual([2])
  })

  test('are written when the gateway stops', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'folds-'))
    const env = { UNVERIFIED_REQUESTS_PER_MINUTE: '1', AMQP_URL: 'amqp://127.0.0.1:9/', AUDIT_DIRECTORY: directory }
    await withWorld(env, async (world) => {
      for (let i = 0; i < 4; i++) await request(world.url).get('/nowhere')
    })
    const counted = auditIn(directory).filter(({ count }) => count > 1)
    expect(counted.map(({ ip, count }) => [ip, count])).toEqual([['127.0.0.1', 3]])
    rmSync(directory, { recursive: true })
  })
})

import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { newId } from '@payments/chassis/base/id'
import { createMetrics } from '@payments/chassis/process/metrics'
import { decodeAuditLines, encodeAuditLine, verifyAuditMessage } from '@payments/contracts/edges/audit-line'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { auditQueues } from '@payments/messaging/broker/audit-topology'
import { openConnection } from '@payments/messaging/broker/connection'
import { named } from '@payments/messaging/broker/topology'
import { pino } from 'pino'
import type { AuditSpool } from '../src/audit/spool.ts'
import { openAuditSpool } from '../src/audit/spool.ts'
import { auditBroker } from './audit-broker.ts'
import { failingDisk } from './failing-disk.ts'
import { auditIn, startWorld, until } from './world.ts'

const path = '/v1/payment-proxy/transactions'
const messageKey = createSecretKey(randomBytes(32))
const noBroker = 'amqp://127.0.0.1:9/'

/** A spool whose test decides when a record is reported as written. */
function delayedSpool(spool: AuditSpool) {
  const waiting: { record: AuditRecord; isDurable: boolean; release: () => void }[] = []
  let isDelayed = false
  const delayed: AuditSpool = {
    ...spool,
    append: (record, isDurable, done) =>
      spool.append(record, isDurable, (error) => {
        if (isDelayed) waiting.push({ record, isDurable, release: () => done(error) })
        else done(error)
      }),
  }
  return {
    spool: delayed,
    waiting,
    delay: () => {
      isDelayed = true
    },
  }
}

describe('a response ends after its record is written', () => {
  test.each([
    ['an ordinary response waits for the file', path, 200, false],
    ['a reveal waits for the disk', `/v1/webhooks/${randomUUID()}/webhooks/reveal`, 200, true],
    ['a denied reveal waits for the disk too', `/v1/api-key/keys/${randomUUID()}/reveal`, 401, true],
  ])('%s', async (_case, target, status, isDurable) => {
    let delayed: ReturnType<typeof delayedSpool> | undefined
    const world = await startWorld({
      alter: (deps) => {
        delayed = delayedSpool(deps.audit)
        return { ...deps, audit: delayed.spool }
      },
    })
    try {
      const tenant = await world.tenant()
      delayed?.delay()
      let response: { status: number } | undefined
      const credential = status === 401 ? { ...tenant.admin, bearer: 'guess' } : tenant.admin
      const sent = world.send('get', target, credential).then((reply) => {
        response = reply
      })
      const waiting = await until(() => delayed?.waiting[0])
      await new Promise((resolve) => setImmediate(resolve))
      expect([response, waiting.isDurable, waiting.record.status]).toEqual([undefined, isDurable, status])
      waiting.release()
      await sent
      expect(response).toMatchObject({ status })
    } finally {
      await world.stop()
    }
  })
})

const rejectedRequests = async (world: Awaited<ReturnType<typeof startWorld>>, reason: string) => {
  const text = await world.metrics.registry.metrics()
  return Number(new RegExp(`audit_refused_requests_total\\{.*reason="${reason}".*\\} (\\d+)`).exec(text)?.[1] ?? 0)
}

test('while the disk is full, requests get 503, are not forwarded, and are counted', async () => {
  const disk = failingDisk()
  const world = await startWorld({ env: { AUDIT_DIRECTORY: disk.directory } })
  try {
    const tenant = await world.tenant()
    let forwarded = 0
    world.upstream.respond((_request, response) => {
      forwarded += 1
      response.end('{"secret":"of the service"}')
    })
    disk.fill()
    // The write of the first record fails: the fallback response is sent, and the record is written later.
    const traceId = randomUUID()
    for (const id of [traceId, randomUUID(), randomUUID()]) {
      const reply = await world.send('get', path, { ...tenant.admin, traceId: id })
      expect([reply.status, reply.body.code]).toEqual([503, 'audit_unavailable'])
      expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
      expect(reply.headers['trace-id']).toBe(id)
      expect(reply.text).not.toContain('secret')
    }
    expect(forwarded).toBe(1)
    expect(await rejectedRequests(world, 'failing')).toBe(2)
    disk.free()
    await until(async () => ((await world.send('get', path, tenant.admin)).status === 200 ? true : undefined))
    expect(await world.findAuditRecord(traceId)).toMatchObject({ status: 200, operation: 'listTransactions' })
  } finally {
    await world.stop()
    disk.remove()
  }
})

test('while the broker is down, the spool grows to its limit, then requests get 503 and the gateway is not ready', async () => {
  const world = await startWorld({ env: { AMQP_URL: noBroker, AUDIT_FILE_BYTES_MAX: String(96 * 1024) } })
  try {
    const tenant = await world.tenant()
    const succeeded: string[] = []
    let last = 0
    for (let i = 0; i < 400 && last !== 503; i++) {
      const traceId = randomUUID()
      last = (await world.send('get', path, { ...tenant.admin, traceId })).status
      if (last !== 503) succeeded.push(traceId)
    }
    expect(last).toBe(503)
    expect(succeeded.length).toBeGreaterThan(50)
    const recorded = auditIn(world.auditDirectory).map(({ trace_id }) => trace_id)
    expect(recorded.filter((id) => succeeded.includes(id)).sort()).toEqual(succeeded.sort())
    expect(await rejectedRequests(world, 'full')).toBeGreaterThan(0)
    const ready = await world.send('get', '/readyz', tenant.admin)
    expect([ready.status, ready.body.code]).toEqual([503, 'audit_unavailable'])
    expect(await world.readiness.required['audit']?.()).toBe('the audit spool is full')
  } finally {
    await world.stop()
  }
})

async function openSpool(directory: string, broker: { url: string; prefix: string }) {
  const metrics = createMetrics('gateway')
  const log = pino({ level: 'silent' })
  const producer = { name: 'gateway', key: messageKey }
  const spool = await openAuditSpool({ directory, fileBytesMax: 1 << 20, broker, producer, log, metrics })
  return { spool, metrics }
}

function createRecord(tenantId: string | null = null): AuditRecord {
  return {
    id: newId(),
    occurred_at: new Date().toISOString(),
    trace_id: randomUUID(),
    tenant_id: tenantId,
    actor: { type: 'anonymous', id: null },
    client: null,
    method: null,
    path: null,
    operation: null,
    permission: null,
    outcome: 'rejected',
    status: 400,
    code: 'invalid_request',
    ip: '',
    user_agent: null,
    duration_ms: 0,
    client_gone: false,
    count: 1,
  }
}

test('the next start ships the records of a crashed process, skips a torn last line, and deletes the file', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'spool-'))
  const broker = await auditBroker()
  const tenants = [null, ...Array.from('0123', (digit) => `${randomUUID().slice(0, -1)}${digit}`)]
  const records = Array.from({ length: 1_000 }, (_, i) => createRecord(tenants[i % tenants.length]))
  const file = join(directory, `${newId()}.audit`)
  writeFileSync(file, records.map(encodeAuditLine).join(''))
  appendFileSync(file, encodeAuditLine(createRecord()).slice(0, 100))
  const { spool, metrics } = await openSpool(directory, broker)
  await until(() => (readdirSync(directory).length === 0 ? true : undefined))
  await spool.close()
  expect(await metrics.registry.metrics()).toMatch(/audit_torn_bytes_total\{[^}]*\} 100/)

  const log = pino({ level: 'silent' })
  const connection = await openConnection({ url: broker.url, purpose: 'consume', name: 'test', log })
  await until(() => (connection.ready().ready ? true : undefined))
  const channel = await connection.openChannel()
  for (const [index, queue] of auditQueues.entries()) {
    const own = records.filter((_, i) => i % tenants.length === index).map(({ id }) => id)
    const arrived: string[] = []
    const messages: { content: Buffer; headers: Readonly<Record<string, unknown>> }[] = []
    const take = (message: Parameters<Parameters<typeof channel.consume>[1]>[0]) => {
      if (message !== null) messages.push({ content: message.content, headers: message.properties.headers ?? {} })
    }
    await channel.consume(named(broker.prefix, queue), take, { noAck: true })
    await until(() => {
      for (const { content, headers } of messages.splice(0)) {
        const { records: some, unreadable } = decodeAuditLines(content)
        expect(unreadable).toBe(0)
        const keys = new Map([['gateway', messageKey]])
        expect(verifyAuditMessage(headers, content, keys)).toEqual({ producer: 'gateway' })
        arrived.push(...some.map(({ id }) => id))
      }
      return arrived.length >= own.length ? true : undefined
    })
    expect(arrived).toEqual(own)
  }
  await connection.close()
  await broker.discard()
  rmSync(directory, { recursive: true })
})

test('two gateways cannot share a directory', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'spool-'))
  const broker = { url: noBroker, prefix: 'x' }
  const { spool } = await openSpool(directory, broker)
  await expect(openSpool(directory, broker)).rejects.toThrow('in use by another gateway')
  await spool.close()
  const again = await openSpool(directory, broker)
  await again.spool.close()
  rmSync(directory, { recursive: true })
})

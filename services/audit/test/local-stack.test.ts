/** @slow It starts a platform of its own. */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePorts } from '@payments/devkit/machine/ports'
import { type TcpProxy, tcpProxy } from '@payments/testing/peers/tcp-proxy'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import pg from 'pg'

/**
 * The path of a record through real processes: the gateway is killed with -9 under load, the broker is unreachable for
 * some time, and the gateway is killed again during the outage. AUDIT_TEST_OUTAGE_MS sets the length of the outage.
 */
const outageMs = Number(process.env['AUDIT_TEST_OUTAGE_MS'] ?? 4_000)
const workers = 3
const pauseMs = 10

let platform: TestStack
let proxy: TcpProxy
let database: pg.Client
let tenant: { tenant_id: string; api_key: { id: string; value: string } }
const directory = mkdtempSync(join(tmpdir(), 'checkpoints-'))
/** Directory to which the audit service exports checkpoints. */
const exported = join(directory, 'exported')

beforeAll(async () => {
  const [port] = await freePorts(1)
  proxy = await tcpProxy(Number(port))
  platform = await startTestStack({
    amqpUrl: proxy.url,
    without: ['webhooks', 'webhooks-dispatcher', 'payment-proxy'],
    env: {
      AUDIT_SEAL_INTERVAL_MS: '500',
      AUDIT_CHECKPOINT_DIRECTORY: exported,
      AUDIT_CHECKPOINT_INTERVAL_MS: '300',
    },
  })
  const { code, stdout, output } = await platform.payctl('tenant', 'create', '--name', 'Acme', '--json', '--show-key')
  if (code !== 0) throw new Error(output)
  tenant = JSON.parse(stdout)
  database = new pg.Client({ connectionString: platform.databases.audit.ownerUrl })
  await database.connect()
  await database.query(`SET app.tenant_id = '*'`)
}, 120_000)

afterAll(async () => {
  await database.end()
  await platform.stop()
  await proxy.cut()
  rmSync(directory, { recursive: true })
}, 120_000)

const targets = [
  { path: '/v1/api-key/keys', key: () => tenant.api_key.value },
  { path: '/v1/rbac/roles', key: () => tenant.api_key.value },
  { path: '/v1/api-key/keys', key: () => 'psk_dev_nonsense' },
  { path: '/nowhere', key: () => tenant.api_key.value },
] as const

/** Status of a complete response; undefined when the gateway was killed during the request. */
async function send(traceId: string, i: number): Promise<number | undefined> {
  const { path, key } = targets[i % targets.length] ?? targets[0]
  try {
    const response = await fetch(platform.gatewayUrl + path, {
      headers: { authorization: `Bearer ${key()}`, 'tenant-id': tenant.tenant_id, 'trace-id': traceId },
      signal: AbortSignal.timeout(10_000),
    })
    await response.text()
    return response.status
  } catch {
    // The gateway was killed before it responded, so no record is required.
    return undefined
  }
}

const responded = new Map<string, number>()

function startLoad(): () => Promise<void> {
  let isOver = false
  const work = async () => {
    for (let i = 0; !isOver; i++) {
      const traceId = randomUUID()
      const status = await send(traceId, i)
      if (status !== undefined) responded.set(traceId, status)
      await delay(pauseMs)
    }
  }
  const running = Promise.all(Array.from({ length: workers }, work))
  return async () => {
    isOver = true
    await running
  }
}

async function until(what: string, look: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!(await look())) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms`)
    await delay(200)
  }
}

const untilResponses = (more: number) => {
  const before = responded.size
  return until(`${more} more responses`, async () => responded.size >= before + more)
}

async function stored(): Promise<Map<string, number[]>> {
  const sql = 'SELECT trace_id::text AS trace, status FROM audit_records'
  const { rows } = await database.query<{ trace: string; status: number }>(sql)
  const found = new Map<string, number[]>()
  for (const { trace, status } of rows) found.set(trace, [...(found.get(trace) ?? []), status])
  return found
}

test(
  'one record per completed request, also when the gateway is killed and the broker is away; none lost, none twice',
  async () => {
    const stop = startLoad()
    await untilResponses(200)
    await platform.kill('gateway', 'SIGKILL')
    await platform.restart('gateway')
    await untilResponses(200)

    await proxy.cut()
    const cutAt = Date.now()
    await untilResponses(200)
    await platform.kill('gateway', 'SIGKILL')
    await platform.restart('gateway')
    await untilResponses(100)
    await delay(Math.max(0, outageMs - (Date.now() - cutAt)))
    const during = responded.size
    await proxy.restore()
    await untilResponses(50)
    await stop()

    expect(during).toBeGreaterThan(500)
    expect(new Set(responded.values())).toEqual(new Set([200, 401, 404]))
    await until('every completed request is stored', async () => {
      const found = await stored()
      return [...responded.keys()].every((traceId) => found.has(traceId))
    })
    const found = await stored()
    const wrong = [...responded].filter(([traceId, status]) => String(found.get(traceId)) !== String(status))
    expect(wrong).toEqual([])
    expect([...responded.keys()].filter((traceId) => found.get(traceId)?.length !== 1)).toEqual([])
  },
  150_000 + outageMs,
)

test('a tenant can read the record of a reveal within seconds', async () => {
  const traceId = randomUUID()
  const headers = { authorization: `Bearer ${tenant.api_key.value}`, 'tenant-id': tenant.tenant_id }
  const path = `/v1/api-key/keys/${tenant.api_key.id}/reveal`
  const reply = await fetch(platform.gatewayUrl + path, { headers: { ...headers, 'trace-id': traceId } })
  expect(reply.status).toBe(200)
  await until('the record is stored', async () => {
    const response = await fetch(`${platform.gatewayUrl}/v1/audit/records?trace_id=${traceId}`, {
      headers: { ...headers, 'trace-id': randomUUID() },
    })
    const { data } = (await response.json()) as { data: Record<string, unknown>[] }
    if (data.length === 0) return false
    expect(data).toEqual([
      expect.objectContaining({ operation: 'revealKey', path, status: 200, permission: 'apikey:RevealKey' }),
    ])
    return true
  })
})

test('payctl verifies chains, and finds an edited record, a truncated chain, and a chain that was sealed again', async () => {
  await until('all records are sealed', async () => {
    const { rows } = await database.query('SELECT FROM audit_chains WHERE head_position > sealed_position')
    return rows.length === 0
  })
  const checkpoints = join(directory, 'checkpoints.jsonl')
  const printed = await platform.payctl('audit', 'checkpoints')
  writeFileSync(checkpoints, printed.stdout)
  const checkpointCount = printed.stdout.trim().split('\n').length
  const clean = await platform.payctl('audit', 'verify', '--checkpoints', checkpoints, '--json')
  expect([clean.code, checkpointCount]).toEqual([0, 2])
  const reports = JSON.parse(clean.stdout) as {
    findings: unknown[]
    checkpoints_met: number
    records_checked: number
  }[]
  expect(reports.every(({ findings, checkpoints_met: met }) => findings.length === 0 && met === 1)).toBe(true)
  expect(reports.reduce((sum, report) => sum + report.records_checked, 0)).toBeGreaterThan(responded.size)

  const withoutTenant = `tenant_id = '00000000-0000-0000-0000-000000000000'`
  await tamper(`UPDATE audit_records SET status = 299 WHERE position = 1 AND ${withoutTenant}`)
  const edited = await platform.payctl('audit', 'verify', '--tenant', 'none', '--json')
  expect(edited.code).toBe(1)
  expect(JSON.parse(edited.stdout)[0].findings).toMatchObject([{ kind: 'record_edited', sequence: 1 }])

  const ofTenant = `tenant_id = '${tenant.tenant_id}'`
  const newestSeal = `(SELECT max(sequence) FROM audit_seals WHERE ${ofTenant})`
  const { rows } = await database.query(
    `SELECT from_position AS start, sequence FROM audit_seals WHERE ${ofTenant} AND sequence = ${newestSeal}`,
  )
  const [{ start, sequence }] = rows as [{ start: string; sequence: string }]
  await until('the checkpoint is exported', async () =>
    existsSync(join(exported, tenant.tenant_id, `${sequence.padStart(12, '0')}.json`)),
  )
  expect((await platform.payctl('audit', 'verify', '--tenant', tenant.tenant_id, '--checkpoints', exported)).code).toBe(
    0,
  )
  await cutOff(ofTenant, start, sequence)
  expect((await platform.payctl('audit', 'verify', '--tenant', tenant.tenant_id)).code).toBe(0)
  const cut = await platform.payctl(
    'audit',
    'verify',
    '--tenant',
    tenant.tenant_id,
    '--checkpoints',
    exported,
    '--json',
  )
  expect(cut.code).toBe(1)
  expect(JSON.parse(cut.stdout)[0].findings).toContainEqual(
    expect.objectContaining({ kind: 'checkpoint_missed', sequence: Number(sequence) }),
  )

  await betweenSealings(async () => {
    await tamper('DELETE FROM audit_seals')
    await database.query('UPDATE audit_chains SET sealed_position = 0, sealed_sequence = 0')
  })
  await until('all records are sealed again', async () => {
    const { rows } = await database.query('SELECT FROM audit_chains WHERE head_position > sealed_position')
    return rows.length === 0
  })
  expect((await platform.payctl('audit', 'verify')).code).toBe(0)
  const resealed = await platform.payctl('audit', 'verify', '--checkpoints', checkpoints)
  expect([resealed.code, resealed.output]).toEqual([1, expect.stringContaining('checkpoint_missed')])
}, 120_000)

/** Cuts the end off a chain, as it would look to one who can write to the database; records that arrive wait. */
function cutOff(ofTenant: string, start: string, sequence: string): Promise<void> {
  return betweenSealings(async () => {
    await tamper(`DELETE FROM audit_seals WHERE ${ofTenant} AND sequence >= ${sequence}`)
    await tamper(`DELETE FROM audit_records WHERE ${ofTenant} AND position >= ${start}`)
    const heads = `head_position = ${start} - 1, sealed_position = ${start} - 1, sealed_sequence = ${sequence} - 1`
    await database.query(`UPDATE audit_chains SET ${heads} WHERE ${ofTenant}`)
  })
}

/** Runs `change` in one transaction, after each sealing that has read its chain, and before each later one. */
async function betweenSealings(change: () => Promise<void>): Promise<void> {
  await database.query('BEGIN')
  await database.query('LOCK TABLE audit_chains IN ACCESS EXCLUSIVE MODE')
  await change()
  await database.query('COMMIT')
}

async function tamper(sql: string): Promise<void> {
  for (const table of ['audit_records', 'audit_seals']) {
    await database.query(`ALTER TABLE ${table} DISABLE TRIGGER audit_written_once`)
  }
  const { rowCount } = await database.query(sql)
  expect(rowCount).toBeGreaterThan(0)
  for (const table of ['audit_records', 'audit_seals']) {
    await database.query(`ALTER TABLE ${table} ENABLE TRIGGER audit_written_once`)
  }
}

test('a call of payctl is recorded by the called service under the name of the operator', async () => {
  await until('the records of the onboarding are stored', async () => {
    const list = ['audit', 'list', '--actor-type', 'operator', '--json', '--limit', '200']
    const withoutTenant = JSON.parse((await platform.payctl(...list)).stdout) as Record<string, unknown>[]
    const ofTenant = JSON.parse((await platform.payctl(...list, '--tenant', tenant.tenant_id)).stdout)
    const records = [...withoutTenant, ...ofTenant]
    const actors = new Set(records.map(({ actor }) => (actor as { id: string }).id))
    if (actors.size > 0) expect(actors).toEqual(new Set([`${userInfo().username}@${hostname()}`]))
    const operations = records.map(({ operation }) => operation)
    return ['createTenant', 'issueKey', 'verifyChain'].every((operation) => operations.includes(operation))
  })
})

test('an operator lists the records without a tenant', async () => {
  const { code, stdout } = await platform.payctl('audit', 'list', '--outcome', 'denied', '--limit', '5', '--json')
  const records = JSON.parse(stdout) as Record<string, unknown>[]
  expect([code, records.length]).toEqual([0, 5])
  expect(records[0]).toMatchObject({ tenant_id: null, actor: { type: 'anonymous' }, outcome: 'denied' })
})

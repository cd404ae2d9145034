import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import type { App } from '@payments/chassis/app'
import { signAssertion } from '@payments/chassis/assertion'
import { newId } from '@payments/chassis/id'
import { createLog } from '@payments/chassis/log'
import { createMetrics } from '@payments/chassis/metrics'
import type { AuditRecord, Finding } from '@payments/contracts/audit'
import { type Permission, permissionNames } from '@payments/contracts/permission'
import { privateDatabase } from '@payments/testing/database'
import { openConnections } from '@payments/testing/open-connections'
import pg from 'pg'
import request from 'supertest'
import { createApp } from '../src/app.ts'
import { sealChains } from '../src/jobs.ts'
import { openDatabase } from '../src/store/database.ts'
import { storeRecords } from '../src/verbs/store-records.ts'

const edgeKey = createSecretKey(randomBytes(32))
const log = createLog('audit', 'fatal')

/** One real audit service on one private database, with a clock that can be put forward. */
export async function startWorld() {
  const database = await privateDatabase('audit')
  const db = openDatabase(database.url)
  let aheadMs = 0
  const deps = {
    db,
    retentionDays: 30,
    now: () => new Date(Date.now() + aheadMs),
    keys: new Map([['gateway', edgeKey]]),
    broker: async () => null,
    log,
    metrics: createMetrics('audit'),
  }
  const app = createApp(deps)
  await openConnections(db, 10)
  // Whoever owns the tables can do what the service cannot: tamper.
  const owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  await owner.query(`SET app.tenant_id = '*'`)
  const asOperator = caller(app, { type: 'service', id: 'gateway' }, null, [])
  return {
    app,
    edgeKey,
    deps,
    database,
    owner,
    store: (records: readonly AuditRecord[]) => storeRecords(deps, records),
    seal: () => sealChains(deps),
    putClockForward: (ms: number) => {
      aheadMs += ms
    },
    asOperator,
    asTenant: (tenantId: string, permissions: readonly Permission[] = permissionNames) =>
      caller(app, { type: 'api_key', id: randomUUID() }, tenantId, permissions),
    /** Changes rows behind the back of the trigger that forbids it. */
    tamper: async (sql: string, ...values: unknown[]) => {
      for (const table of ['audit_records', 'audit_seals']) {
        await owner.query(`ALTER TABLE ${table} DISABLE TRIGGER audit_written_once`)
      }
      const { rowCount } = await owner.query(sql, values)
      for (const table of ['audit_records', 'audit_seals']) {
        await owner.query(`ALTER TABLE ${table} ENABLE TRIGGER audit_written_once`)
      }
      return rowCount
    },
    /** What verification finds in the whole chain. */
    findings: async (tenantId: string | null): Promise<Finding[]> => {
      const found: Finding[] = []
      for (let after: number | null = 0; after !== null; ) {
        const chain = tenantId ?? 'none'
        const reply = await asOperator.get(`/internal/chains/${chain}/verification?after_sequence=${after}`)
        if (reply.status !== 200) throw new Error(JSON.stringify(reply.body))
        found.push(...reply.body.findings)
        after = reply.body.next_after_sequence
      }
      return found
    },
    stop: async () => {
      await owner.end()
      await db.close()
      await database.drop()
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>

/** The record of a good request; `fields` makes it another one. */
export function recordOf(tenantId: string | null, fields: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id: newId(),
    occurred_at: new Date().toISOString(),
    trace_id: randomUUID(),
    tenant_id: tenantId,
    actor: tenantId === null ? { type: 'anonymous', id: null } : { type: 'api_key', id: randomUUID() },
    method: 'GET',
    path: '/v1/api-key/keys',
    operation: 'listKeys',
    permission: 'apikey:ReadKey',
    outcome: tenantId === null ? 'denied' : 'success',
    status: tenantId === null ? 401 : 200,
    code: tenantId === null ? 'invalid_credentials' : null,
    ip: '127.0.0.1',
    user_agent: 'jest "tëst"',
    duration_ms: 1.234,
    count: 1,
    ...fields,
  }
}

type ActorClaim = { type: 'api_key' | 'service'; id: string }

/** Calls the app as the gateway would, with an assertion for exactly this request. */
function caller(app: App, actor: ActorClaim, tenantId: string | null, permissions: readonly Permission[]) {
  return {
    get: (path: string) => {
      const assertion = signAssertion(
        { tenantId, actor, permissions, traceId: randomUUID() },
        { issuer: 'gateway', audience: 'audit', key: edgeKey },
        { method: 'GET', path },
      )
      return request(app).get(path).set('Internal-Assertion', assertion)
    },
  }
}

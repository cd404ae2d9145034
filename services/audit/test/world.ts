import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { newId } from '@payments/chassis/base/id'
import { type AuditRecord, audit, type Finding, type Seal } from '@payments/contracts/services/audit/contract'
import { quarantineWithoutBroker } from '@payments/testing/broker/quarantine'
import { serviceWorld } from '@payments/testing/services/service-world'
import pg from 'pg'
import { createApp } from '../src/app.ts'
import { sealChains } from '../src/jobs.ts'
import { createSearches } from '../src/search/searches.ts'
import { openDatabase } from '../src/store/database.ts'
import { storeRecords } from '../src/verbs/store-records.ts'

/** One real audit service on one private database, with a clock that tests advance. */
export async function startWorld() {
  // Transactions over all tenants use three quarters of the ten connections at most.
  const service = await serviceWorld(audit, openDatabase, { connections: 8 })
  let aheadMs = 0
  const deps = {
    ...service.deps,
    retentionDays: 30,
    sealKeys: { keys: new Map([['first', createSecretKey(randomBytes(32))]]), current: 'first' },
    now: () => new Date(Date.now() + aheadMs),
    searches: createSearches(service.deps.db),
    quarantine: quarantineWithoutBroker('audit.quarantine'),
  }
  const app = createApp(deps)
  // The owner of the tables can tamper with rows; the role of the service cannot.
  const owner = new pg.Client({ connectionString: service.database.ownerUrl })
  await owner.connect()
  await owner.query(`SET app.tenant_id = '*'`)
  const callers = service.createCallers(app)
  const asOperator = callers.asOperator()
  /** Changes rows while the trigger that forbids changes is disabled. */
  const tamper = async (sql: string, ...values: unknown[]) => {
    for (const table of ['audit_records', 'audit_seals']) {
      await owner.query(`ALTER TABLE ${table} DISABLE TRIGGER audit_written_once`)
    }
    const { rowCount } = await owner.query(sql, values)
    for (const table of ['audit_records', 'audit_seals']) {
      await owner.query(`ALTER TABLE ${table} ENABLE TRIGGER audit_written_once`)
    }
    return rowCount
  }
  return {
    ...service,
    app,
    deps,
    owner,
    store: (records: readonly AuditRecord[]) => storeRecords(deps, records),
    seal: (pageMax?: number) => sealChains(deps, pageMax),
    /** Three seals of four records each. */
    sealedChain: async (tenantId: string) => {
      for (let seals = 0; seals < 3; seals += 1) {
        await storeRecords(
          deps,
          Array.from({ length: 4 }, () => createRecord(tenantId)),
        )
        if ((await sealChains(deps)) === 0) throw new Error('nothing was sealed')
      }
    },
    /** The checkpoint of a chain, as operators read it. */
    readCheckpoint: async (tenantId: string): Promise<Seal> => {
      for (let query = ''; ; ) {
        const { body } = await asOperator.get(`/internal/checkpoints?limit=2${query}`)
        const checkpoint = body.data.find((seal: Seal) => seal.tenant_id === tenantId)
        if (checkpoint !== undefined) return checkpoint
        if (body.next_cursor === null) throw new Error(`the chain of ${tenantId} has no checkpoint`)
        query = `&cursor=${body.next_cursor}`
      }
    },
    advanceClock: (ms: number) => {
      aheadMs += ms
    },
    asOperator,
    asTenant: callers.asTenant,
    tamper,
    /** Moves records to the partition of an earlier day. */
    moveToDay: async (days: number, where: string, ...values: unknown[]) => {
      const day = (ago: number) =>
        new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')
      const bounds = `FROM ('${day(days)}') TO ('${day(days - 1)}')`
      const partition = `audit_records_${day(days)} PARTITION OF audit_records FOR VALUES ${bounds}`
      await owner.query(`CREATE TABLE IF NOT EXISTS ${partition}`)
      for (const security of ['ENABLE', 'FORCE']) {
        await owner.query(`ALTER TABLE audit_records_${day(days)} ${security} ROW LEVEL SECURITY`)
      }
      await tamper(`UPDATE audit_records SET stored_on = '${day(days)}' WHERE ${where}`, ...values)
    },
    /** Findings of the verification of the whole chain. */
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
      await service.stop()
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>

/** The record of a successful request, with `fields` replaced. */
export function createRecord(tenantId: string | null, fields: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id: newId(),
    occurred_at: new Date().toISOString(),
    trace_id: randomUUID(),
    tenant_id: tenantId,
    actor: tenantId === null ? { type: 'anonymous', id: null } : { type: 'api_key', id: randomUUID() },
    client: null,
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
    client_gone: false,
    count: 1,
    ...fields,
  }
}

import { createSecretKey, randomBytes } from 'node:crypto'
import type { Database, PoolOptions } from '@payments/chassis/database/database'
import type { SqlTx } from '@payments/chassis/database/transaction'
import { createLog } from '@payments/chassis/observability/log'
import { createMetrics } from '@payments/chassis/process/metrics'
import type { App } from '@payments/chassis/request/app'
import type { ServiceName } from '@payments/contracts/edges/contracts'
import type { Contract } from '@payments/contracts/grammar/contract'
import { createCallers } from '../calls/caller.ts'
import { keysOfEveryProcess } from '../calls/edges.ts'
import { privateDatabase, testPool } from '../database/database.ts'
import { openConnections } from '../database/open-connections.ts'

/** Reads or changes rows of all tenants as the owner of the tables, also rows that no endpoint returns. */
export type OwnerRows = <R extends object = Record<string, unknown>>(sql: string, ...values: unknown[]) => Promise<R[]>

/** An event in the outbox. */
export interface StoredEvent<Payload = Record<string, unknown>> {
  readonly type: string
  readonly payload: Payload
  readonly business_unit_id: string | null
  readonly trace_id: string
}

/**
 * **What it does.** Stands up what the test of every service needs, except its app.
 *
 * **Participants.** `test/world.ts` of a service: creates its dependencies from `deps`, then its app, and adds its own
 * factories and third parties.
 *
 * **Guarantees.** No other test writes to the database. `connections` requests run at the same time.
 *
 * **Not guaranteed.** A broker: `brokerCheck` of `deps` reports one.
 */
export async function serviceWorld<Db extends Database<SqlTx>>(
  contract: Contract & { readonly service: ServiceName },
  openDatabase: (url: string, pool: PoolOptions) => Db,
  { connections = 4, log = createLog(contract.service, process.env['TEST_LOG_LEVEL'] ?? 'silent') } = {},
) {
  const database = await privateDatabase(contract.service)
  const [db, owner] = [openDatabase(database.url, testPool), openDatabase(database.ownerUrl, testPool)]
  const edgeKey = createSecretKey(randomBytes(32))
  await openConnections(db, connections)
  const rows: OwnerRows = (sql, ...values) => owner.acrossTenants((tx) => tx.$queryRawUnsafe(sql, ...values))
  return {
    /** The dependencies that every service has. */
    deps: {
      db,
      keys: keysOfEveryProcess(edgeKey),
      brokerCheck: async () => null,
      log,
      metrics: createMetrics(contract.service),
    },
    database,
    db,
    /** The key with which the service verifies every process. */
    edgeKey,
    rows,
    /** The events of a tenant in the outbox, in the order of their transactions. */
    events: <Payload = Record<string, unknown>>(tenantId: string) =>
      rows<StoredEvent<Payload>>(
        `SELECT type, payload, business_unit_id::text, trace_id::text FROM outbox_events
         WHERE tenant_id = $1::uuid ORDER BY sequence`,
        tenantId,
      ),
    createCallers: (app: App) => createCallers(contract, edgeKey, app),
    stop: async () => {
      await Promise.all([db.close(), owner.close()])
      await database.drop()
    },
  }
}

/** Measures the bare loop of payments: the least that any payment must write, on a private database. */
import { withClient } from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import { privateDatabase } from '@payments/testing/database/database'
import type { BarePaymentsRequest, BarePaymentsResult } from '../load/bare-payments.ts'
import { startChild, withCleanup } from '../measure/child-process.ts'
import { cpuMs } from '../measure/cpu-time.ts'
import { type PostgresSpent, postgresSpent, readPostgresCpu } from '../measure/postgres-cpu.ts'
import { roundTo } from '../measure/sample-statistics.ts'

const bareTables = `
  CREATE TABLE bare_operations (
    id uuid PRIMARY KEY, tenant_id uuid NOT NULL, amount bigint NOT NULL, state text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(), completed_at timestamptz
  );
  CREATE TABLE bare_events (
    id uuid PRIMARY KEY, tenant_id uuid NOT NULL, type text NOT NULL, payload jsonb NOT NULL,
    occurred_at timestamptz NOT NULL DEFAULT now()
  )`

const connectionCounts = [1, 16]
const warmUpSeconds = 2

/** Returns one row per number of connections. */
export async function measureBareLoop(seconds: number): Promise<object[]> {
  const rows: object[] = []
  await withCleanup(async (cleanups) => {
    const database = await privateDatabase('payment-proxy')
    cleanups.push(database.drop)
    await withClient(database.ownerUrl, (owner) => owner.query(bareTables))
    const name = new URL(database.url).pathname.slice(1)
    await withClient(testAddress('TEST_DATABASE_URL'), async (administrator) => {
      for (const connections of connectionCounts) {
        const loop = await startChild<object, BarePaymentsRequest, BarePaymentsResult>(cleanups, 'load/bare-payments')
        await loop.request({ url: database.url, connections, seconds: warmUpSeconds })
        const [before, clientMs] = [await readPostgresCpu(administrator), cpuMs(loop.pid)]
        const result = await loop.request({ url: database.url, connections, seconds })
        const spent = postgresSpent(before, await readPostgresCpu(administrator))
        rows.push(toRow(connections, result, { ...spent, name, clientMs: cpuMs(loop.pid) - clientMs }))
      }
    })
  })
  return rows
}

function toRow(
  connections: number,
  { payments, perSecond }: BarePaymentsResult,
  { name, clientMs, sessionsMs, backgroundMs }: PostgresSpent & { name: string; clientMs: number },
) {
  const each = (ms: number) => roundTo(ms / payments, 3)
  const sessions = sessionsMs.get(name) ?? 0
  return {
    connections,
    'payments/s': roundTo(perSecond, 0),
    'client CPU ms': each(clientMs),
    'PostgreSQL sessions CPU ms': each(sessions),
    'both CPU ms': each(clientMs + sessions),
    'PostgreSQL background CPU ms': each(backgroundMs),
  }
}

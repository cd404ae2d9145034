/**
 * Audit records stored per second by replicas of the audit service, and the CPU of a record, with few and with many
 * records per gateway. README.md describes the measurements.
 *
 *   npm run bench audit -- [--replicas 2] [--tenants 200] [--records 100000] [--rounds 5] [--seconds 10]
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { withClient } from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import { type AuditSetup, buildRecord, setUpAudit } from './audit/store-setup.ts'
import { benchOptions } from './measure/bench-options.ts'
import { withCleanup } from './measure/child-process.ts'
import { cpuTimes, spentMs } from './measure/cpu-time.ts'
import { type Administrator, postgresSpent, readPostgresCpu } from './measure/postgres-cpu.ts'
import { machineDescription, median, roundTo } from './measure/sample-statistics.ts'
import { serverPids } from './measure/server-process.ts'

const options = benchOptions({ replicas: 2, tenants: 200, records: 100_000, rounds: 5, seconds: 10 })
const { replicas, records, rounds, seconds } = options
const tenants = Array.from({ length: options.tenants }, () => randomUUID())
/** Ten gateways, each of which ships five times a second. */
const paced = { perSecond: 50, records: 2 }

const loads = ['audit.records', 'shards', 'paced'] as const
type Load = (typeof loads)[number]
/** Of each range that a gateway ships: below 64 KiB, and 512 KiB. */
const recordsOfRange = { 'audit.records': 100, shards: 1_100 }

interface Cost {
  readonly perSecond: number
  readonly service: number
  readonly sessions: number
  readonly broker: number
}

await withClient(testAddress('TEST_DATABASE_URL'), (administrator) =>
  withCleanup(async (cleanups) => {
    console.log(machineDescription())
    const setup = await setUpAudit(replicas)
    cleanups.push(setup.close)
    const measured = new Map<Load, Cost[]>(loads.map((load) => [load, []]))
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const load of loads) {
        const cost = await (load === 'paced' ? pace(setup, administrator) : saturate(setup, administrator, load))
        if (round > 0) measured.get(load)?.push(cost)
      }
    }
    print(measured)
  }),
)

/** Publishes while the replicas are paused, then measures until they have stored everything. */
async function saturate(setup: AuditSetup, administrator: Administrator, load: 'audit.records' | 'shards') {
  await setup.untilSealed()
  setup.signal('SIGSTOP')
  const size = recordsOfRange[load]
  const ranges = Math.ceil(records / size)
  const goal = (await setup.stored()) + ranges * size
  for (let sent = 0; sent < ranges; sent += 1) await setup.publish(buildAuditRange(size, sent))
  return measureCost(setup, administrator, ranges * size, async () => {
    setup.signal('SIGCONT')
    await setup.untilStored(goal)
  })
}

async function pace(setup: AuditSetup, administrator: Administrator): Promise<Cost> {
  await setup.untilSealed()
  const ranges = paced.perSecond * seconds
  const goal = (await setup.stored()) + ranges * paced.records
  return measureCost(setup, administrator, ranges * paced.records, async () => {
    const from = performance.now()
    const sent: Promise<unknown>[] = []
    while (sent.length < ranges) {
      const dueMs = from + (sent.length * 1_000) / paced.perSecond - performance.now()
      if (dueMs > 1) await delay(dueMs)
      sent.push(setup.publish(buildAuditRange(paced.records, sent.length)))
    }
    await Promise.all(sent)
    await setup.untilStored(goal)
  })
}

/** Records of many tenants, each range another selection. */
function buildAuditRange(size: number, range: number) {
  return Array.from({ length: size }, (_, i) => buildRecord(tenants[(range * 7 + i * 13) % tenants.length] ?? ''))
}

/** Microseconds of CPU per record while `work` runs. */
async function measureCost(
  setup: AuditSetup,
  administrator: Administrator,
  count: number,
  work: () => Promise<void>,
): Promise<Cost> {
  const read = async () => ({
    service: cpuTimes(setup.pids),
    postgres: await readPostgresCpu(administrator),
    broker: cpuTimes(serverPids('rabbitmq')),
  })
  const before = await read()
  const from = performance.now()
  await work()
  const perSecond = (count * 1_000) / (performance.now() - from)
  const after = await read()
  const sessionsMs = postgresSpent(before.postgres, after.postgres).sessionsMs.get(setup.databaseName) ?? 0
  return {
    perSecond,
    service: (spentMs(before.service, after.service) * 1_000) / count,
    sessions: (sessionsMs * 1_000) / count,
    broker: (spentMs(before.broker, after.broker) * 1_000) / count,
  }
}

function print(measured: ReadonlyMap<Load, readonly Cost[]>): void {
  console.table(
    [...measured].map(([load, costs]) => {
      const of = (part: keyof Cost, digits: number) => roundTo(median(costs.map((cost) => cost[part])), digits)
      return {
        load,
        'records per second': of('perSecond', 0),
        'CPU µs of a record: audit': of('service', 1),
        'PostgreSQL sessions': of('sessions', 1),
        RabbitMQ: of('broker', 1),
        rounds: costs.map(({ perSecond }) => Math.round(perSecond)).join(' '),
      }
    }),
  )
}

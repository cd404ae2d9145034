/**
 * CPU of a delivery with a million stored deliveries. Two databases, one empty and one with deliveries and attempts of
 * the last 30 days; the dispatchers of both do the same work in turn.
 *
 *   npm run bench growth -- [--stored 1000000] [--events 100] [--rounds 3]
 *
 * CPU is of the dispatcher and of its database sessions. The table shows medians.
 */
import { withClient } from '@payments/devkit/servers/databases'
import { benchOptions } from './measure/bench-options.ts'
import { type Cleanup, withCleanup } from './measure/child-process.ts'
import { cpuMs } from './measure/cpu-time.ts'
import { median, roundTo } from './measure/sample-statistics.ts'
import { insertStoredDeliveries } from './webhooks/growth-rows.ts'
import { deliverAll, type Receiver, setUpWebhooks, startReceiver } from './webhooks/setup.ts'

const subscriptions = 50
const perTenant = 5
const warmUpEvents = 20
const { stored, events, rounds } = benchOptions({ stored: 1_000_000, events: 100, rounds: 3 })

interface Cost {
  readonly dispatcher: number
  readonly database: number
}

await withCleanup(async (cleanups) => {
  const receiver = await startReceiver(cleanups, subscriptions)
  const empty = await openSide(cleanups, receiver, 0)
  const grown = await openSide(cleanups, receiver, stored)
  for (const side of [empty, grown]) await side.deliver(warmUpEvents)
  const measured: { empty: Cost; grown: Cost }[] = []
  for (let round = 0; round < rounds; round += 1) {
    measured.push({ empty: await empty.measure(), grown: await grown.measure() })
  }
  const both = ({ dispatcher, database }: Cost) => dispatcher + database
  const of = (name: 'empty' | 'grown', pick: (cost: Cost) => number) =>
    median(measured.map((round) => pick(round[name])))
  console.table(
    (['empty', 'grown'] as const).map((name) => ({
      measured: name,
      stored: { empty, grown }[name].stored,
      'dispatcher µs': Math.round(of(name, ({ dispatcher }) => dispatcher)),
      'database µs': Math.round(of(name, ({ database }) => database)),
      'both × empty': roundTo(of(name, both) / of('empty', both), 2),
      'both, each round': measured.map((round) => Math.round(both(round[name]))).join(' '),
    })),
  )
})

async function openSide(cleanups: Cleanup[], receiver: Receiver, storedCount: number) {
  const setup = await setUpWebhooks(cleanups)
  const { ownerUrl } = setup.database
  const targets = await setup.subscribeAll(receiver.ready.urls, perTenant)
  await insertStoredDeliveries(ownerUrl, storedCount)
  const dispatcher = setup.startDispatcher()
  const deliver = (count: number) => deliverAll(setup, receiver, { targets, count, deliveries: count * subscriptions })
  return {
    stored: storedCount,
    deliver,
    /** CPU of one delivery, in µs. */
    async measure(): Promise<Cost> {
      const before = await cpuSoFarMs(ownerUrl, dispatcher)
      await deliver(events)
      const after = await cpuSoFarMs(ownerUrl, dispatcher)
      const each = (part: keyof Cost) => ((after[part] - before[part]) * 1_000) / (events * subscriptions)
      return { dispatcher: each('dispatcher'), database: each('database') }
    },
  }
}

/** The sessions of the dispatcher's pool, which live as long as the dispatcher, on this machine. */
async function cpuSoFarMs(url: string, pid: number): Promise<Cost> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND usename = 'payments_webhooks_app'`,
    ),
  )
  return { dispatcher: cpuMs(pid), database: rows.reduce((sum, session) => sum + cpuMs(session.pid), 0) }
}

/**
 * What a delivery costs when a million are stored: two databases, one empty and one with deliveries and attempts of the last 30 days,
 * a dispatcher on each, which take turns with the same work.
 *
 *   pnpm bench growth [--stored 1000000] [--events 100] [--rounds 3]
 *
 * Cost is CPU of the dispatcher and of its database sessions, together; the table shows medians.
 */
import { parseArgs } from 'node:util'
import { withClient } from '@payments/devkit/databases'
import { cpuMs, end, median, openWorld, startReceiver, until } from './webhooks-world.mjs'

const subscriptions = 50
const perTenant = 5
const { values } = parseArgs({
  options: {
    stored: { type: 'string', default: '1000000' },
    events: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '3' },
  },
})
const receiver = await startReceiver(subscriptions)
const sides = { empty: await openSide(0), grown: await openSide(Number(values.stored)) }
try {
  for (const side of Object.values(sides)) await side.deliver(20)
  const rounds = []
  for (let round = 0; round < Number(values.rounds); round += 1) {
    rounds.push({ empty: await sides.empty.measure(), grown: await sides.grown.measure() })
  }
  const of = (name, what) => median(rounds.map((round) => round[name][what]))
  console.table(
    Object.keys(sides).map((name) => ({
      measured: name,
      stored: sides[name].stored,
      'dispatcher µs': Math.round(of(name, 'dispatcher')),
      'database µs': Math.round(of(name, 'database')),
      'both × empty': Number((of(name, 'both') / of('empty', 'both')).toFixed(2)),
      'both, each round': rounds.map((round) => Math.round(round[name].both)).join(' '),
    })),
  )
} finally {
  for (const side of Object.values(sides)) await side.close()
  await receiver.stop()
}

async function openSide(stored) {
  const world = await openWorld()
  const targets = await world.subscribeAll(receiver.urls, perTenant)
  await fill(world.database.ownerUrl, stored)
  const dispatcher = world.startDispatcher()
  const deliver = async (count) => {
    const goal = (await receiver.ask()).answered + count * subscriptions
    await Promise.all(Array.from({ length: count }, () => targets.map((target) => world.publish(target))).flat())
    await until(async () => (await receiver.ask()).answered >= goal)
  }
  return {
    stored,
    deliver,
    measure: async () => {
      const before = await costs(world.database.ownerUrl, dispatcher.pid)
      await deliver(Number(values.events))
      const after = await costs(world.database.ownerUrl, dispatcher.pid)
      const each = (what) => ((after[what] - before[what]) * 1_000) / (Number(values.events) * subscriptions)
      return { dispatcher: each('dispatcher'), database: each('database'), both: each('dispatcher') + each('database') }
    },
    close: async () => {
      await end(dispatcher)
      await world.close()
    },
  }
}

/** Milliseconds of CPU so far. The sessions are those of the dispatcher's pool, on this machine, which live as long as it does. */
async function costs(url, pid) {
  const sessions = await withClient(url, async (client) => {
    const { rows } = await client.query(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND usename = 'payments_webhooks_app'`,
    )
    return rows
  })
  return { dispatcher: cpuMs(pid), database: sessions.reduce((sum, session) => sum + cpuMs(session.pid), 0) }
}

/** Delivered deliveries with an attempt each, evenly over the last 30 days and the subscriptions there are. */
async function fill(url, count) {
  if (count === 0) return
  await withClient(url, async (client) => {
    await client.query(`SET app.tenant_id = '*'`)
    await client.query('SELECT webhooks_make_partitions(30, 7)')
    const batch = 50_000
    for (let from = 0; from < count; from += batch) {
      await client.query(
        `WITH numbered AS (
           SELECT n, now() - n * interval '30 days' / $3::int AS at FROM generate_series($1::int, $2::int - 1) n
         ), s AS (SELECT *, row_number() OVER () - 1 AS place, count(*) OVER () AS places FROM subscriptions), made AS (
           INSERT INTO deliveries (id, tenant_id, subscription_id, business_unit_id, tenant_event_id, event_type, occurred_at,
             trace_id, body, status, attempt_count, schedule_position)
           SELECT overlay(gen_random_uuid()::text PLACING regexp_replace(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0'),
               '^(.{8})', '\\1-') || '-7' FROM 1)::uuid,
             s.tenant_id, s.id, s.business_unit_id, gen_random_uuid(), 'a.b', at, gen_random_uuid(), $4::bytea, 'delivered', 1, 1
           FROM numbered JOIN s ON s.place = n % s.places RETURNING id, tenant_id, occurred_at
         )
         INSERT INTO attempts (delivery_id, number, tenant_id, started_at, duration_ms, status_code, response_truncated, timings)
         SELECT id, 1, tenant_id, occurred_at, 5, 200, false, '{}' FROM made`,
        [from, Math.min(count, from + batch), count, Buffer.alloc(500, 'x')],
      )
    }
    await client.query('ANALYZE')
  })
}

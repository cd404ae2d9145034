import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createPause } from '@payments/chassis/base/deadline'
import { newId } from '@payments/chassis/base/id'
import { withClient } from '@payments/devkit/servers/databases'
import { testPool } from '@payments/testing/database/database'
import { until } from '@payments/testing/services/until'
import { runJobs } from '@payments/testing/suites/run-jobs'
import { openVault } from '@payments/vault/open'
import { Registry } from 'prom-client'
import { type DispatcherDatabase, openDispatcherDatabase } from '../src/dispatch/database.ts'
import type { WorkerDeps } from '../src/dispatch/deps.ts'
import { createDestinationLimits } from '../src/dispatch/destination-limits.ts'
import { startDispatcherJobs } from '../src/dispatch/jobs.ts'
import { createDispatchMetrics } from '../src/dispatch/metrics.ts'
import { createWorkers } from '../src/dispatch/workers.ts'
import type { WorkItem } from '../src/domain/delivery/delivery.ts'
import { parseSchedule, type Schedule } from '../src/domain/delivery/schedule.ts'
import { createSigningKeys } from '../src/egress/signing-keys.ts'
import { daysAgo, partitionName, partitions } from './partition-world.ts'
import { startWorld, subscribe, type World } from './world.ts'

let world: World
let db: DispatcherDatabase
beforeAll(async () => {
  world = await startWorld()
  db = openDispatcherDatabase(world.database.url, testPool)
})
afterAll(async () => {
  await db.close()
  await world.stop()
})

const registry = new Registry()
const handled: string[] = []

/** The dependencies of a dispatcher whose workers only note what they get. */
function dispatcherDeps(): WorkerDeps {
  const vaultKeys = new Map([['k1', createSecretKey(randomBytes(32))]])
  const vault = openVault({ VAULT_KEYS: vaultKeys, VAULT_KEY_CURRENT: 'k1' }, db, registry)
  const breaker = { failedPercentMin: 50, attemptsMin: 10, windowMs: 1, connectErrorsMax: 5, probeAfterMs: 1 }
  const inFlight = { perDestinationMax: 10, perTenantMax: 50 }
  const limits = createDestinationLimits({ breaker, inFlight, ownPart: (limit) => limit, backlogSignal: createPause() })
  const handle = async ({ id }: WorkItem) => void handled.push(id)
  return {
    db,
    queues: world.broker.queues,
    deadLetters: world.broker.deadLetters,
    limits,
    send: () => Promise.reject(new Error('no attempt is made')),
    signingKeys: createSigningKeys(vault),
    schedule: parseSchedule('0s,1s') as Schedule,
    log: world.log,
    metrics: createDispatchMetrics(registry),
    workers: createWorkers({ handle, idle: () => {}, log: world.log }),
  }
}

/** A delivery in this state, which has waited for an hour. */
async function delivery(columns: string, values: string): Promise<string> {
  const { tenantId, unitId, id: subscriptionId } = await subscribe(world, 'https://hooks.example.com/')
  const id = newId()
  await world.db.inTenant(tenantId, (tx) =>
    tx.$executeRawUnsafe(
      `INSERT INTO deliveries (id, tenant_id, subscription_id, business_unit_id, tenant_event_id, event_type, occurred_at, trace_id,
         body, ${columns})
       VALUES ($1::uuid, $2::uuid, $3::uuid, $4::uuid, gen_random_uuid(), 'a.b', now(), gen_random_uuid(), '{}', ${values})`,
      id,
      tenantId,
      subscriptionId,
      unitId,
    ),
  )
  return id
}

test('the dispatcher sweeps, retains, measures, reconciles, and runs tasks and backlogs', async () => {
  const lastDay = partitionName('attempts', daysAgo(-7))
  await withClient(world.database.ownerUrl, (owner) => owner.query(`DROP TABLE IF EXISTS ${lastDay}`))
  const hourAgo = `now() - interval '1 hour'`
  const overdue = await delivery('next_attempt_at, sweep_at', `${hourAgo}, ${hourAgo}`)
  const dead = await delivery('status, attempt_count, dead_at, last_error', `'dead', 2, ${hourAgo}, '{}'`)
  await delivery('status, backlogged', `'held', true`)
  const task = { id: newId(), tenantId: randomUUID(), kind: 'discard', selection: { ids: [] }, total: 0 } as const
  await world.db.inTenant(task.tenantId, (tx) => tx.task.create({ data: { ...task, createdBy: 'a test' } }))
  const deps = dispatcherDeps()
  // The first run sweeps, and the second one finds the delivery in its backlog.
  for (let runs = 0; runs < 2; runs += 1) await runJobs(() => startDispatcherJobs(deps, world.broker, 30))
  await until(async () => handled.includes(overdue))
  expect(await partitions(world)).toContain(lastDay)
  expect(await registry.metrics()).toMatch(/^webhook_deliveries_backlogged\S* [12]$/m)
  const messages: string[] = []
  await world.broker.deadLetters.browse('webhooks.dead-letters', async (browsed) => {
    messages.push(...browsed.map(({ messageId }) => messageId))
    return []
  })
  expect(messages).toEqual([dead])
  const { status } = await world.db.inTenant(task.tenantId, (tx) =>
    tx.task.findUniqueOrThrow({ where: { id: task.id } }),
  )
  expect(status).toBe('done')
})

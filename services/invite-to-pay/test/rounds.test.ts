import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { holdLock, whileLocked } from '@payments/testing/database/held-lock'
import { until } from '@payments/testing/services/until'
import { inRounds } from '../src/code/rounds.ts'
import { cancelOrphanedCodes } from '../src/verbs/cancel-orphaned-codes.ts'
import { expireCodes } from '../src/verbs/expire-codes.ts'
import { recoverPayments } from '../src/verbs/recover-payments.ts'
import { remind } from '../src/verbs/remind.ts'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

/** Codes of a tenant, all in the past by `seconds`. */
async function createCodes(tenant: TestTenant, count: number, seconds: number, fields: object = {}) {
  const { id } = await tenant.create(fields)
  await world.handOver(id)
  await world.age(id, seconds)
  const copies = await world.copyCode(id, count - 1)
  return [id, ...copies.map((copy) => copy.id)]
}

/** The position of the first row of the tenant, in the order of writing. */
const findTurn = (tenant: TestTenant, tenants: readonly string[]): number => tenants.indexOf(tenant.id) + 1

test('a job takes one batch of each tenant per round, and ends within its batches', async () => {
  const due = new Map([
    ['a', 250],
    ['b', 3],
    ['c', 120],
  ])
  const order: string[] = []
  const work = async ({ limit, except }: { limit: number; except: readonly string[] }) => {
    const taken = [...due]
      .filter(([tenantId]) => !except.includes(tenantId))
      .flatMap(([tenantId, count]) => Array.from({ length: count }, () => ({ tenantId })))
      .slice(0, limit)
    for (const { tenantId } of taken) due.set(tenantId, (due.get(tenantId) ?? 0) - 1)
    order.push(taken.map(({ tenantId }) => tenantId).join(''))
    return taken
  }
  await inRounds({ batchSize: 50, batchesMax: 4 }, work)
  expect(order).toEqual(['a'.repeat(50), `bbb${'c'.repeat(47)}`, 'c'.repeat(50), ''])
  await inRounds({ batchSize: 50, batchesMax: 100 }, work)
  expect([...due.values()]).toEqual([0, 0, 0])
})

test('the expired codes of a tenant with many delay those of another by one batch', async () => {
  const [many, one] = [world.tenant(), world.tenant()]
  await createCodes(many, 160, 26 * 3600)
  await createCodes(one, 1, 25 * 3600)
  await expireCodes(world.deps)
  const events = await world.rows<{ tenant: string }>(
    `SELECT tenant_id::text AS tenant FROM outbox_events WHERE type = 'invite-to-pay.codes.update' ORDER BY sequence`,
  )
  const tenants = events.map(({ tenant }) => tenant)
  expect(tenants).toHaveLength(161)
  expect(findTurn(one, tenants)).toBe(51)
})

test('the reminders of a tenant with many delay those of another by one batch', async () => {
  const [many, one] = [world.tenant(), world.tenant()]
  await createCodes(many, 260, 14 * 3600, { reminder_at: inHours(12) })
  await createCodes(one, 1, 13 * 3600, { reminder_at: inHours(12) })
  await remind(world.deps)
  const messages = await world.rows<{ tenant: string }>(
    `SELECT tenant_id::text AS tenant FROM messages WHERE kind = 'reminder' ORDER BY id`,
  )
  const tenants = messages.map(({ tenant }) => tenant)
  expect(tenants).toHaveLength(261)
  expect(findTurn(one, tenants)).toBe(101)
})

test('the unrecorded payments of a tenant with many delay those of another by one batch', async () => {
  const [many, one] = [world.tenant(), world.tenant()]
  for (const [tenant, count, seconds] of [
    [many, 60, 20],
    [one, 1, 10],
  ] as const) {
    const ids = await createCodes(tenant, count, 1)
    for (const { id, transactionId } of await world.rows<{ id: string; transactionId: string }>(
      `UPDATE codes SET recover_at = clock_timestamp() - $2 * interval '1 second' WHERE id = ANY($1::uuid[])
       RETURNING id::text AS id, transaction_id::text AS "transactionId"`,
      ids,
      seconds,
    )) {
      if (id !== ids[0]) tenant.transaction({ id: transactionId })
    }
  }
  world.payments.reads.length = 0
  await recoverPayments(world.deps)
  expect(world.payments.reads).toHaveLength(61)
  expect(findTurn(one, world.payments.reads)).toBe(21)
})

test.each([
  { run: expireCodes, seconds: 25 * 3600, fields: {}, isDone: `status = 'expired'` },
  { run: remind, seconds: 13 * 3600, fields: { reminder_at: inHours(12) }, isDone: 'remind_due_at IS NULL' },
  { run: recoverPayments, seconds: 0, fields: {}, isDone: 'recover_at IS NULL' },
  { run: cancelOrphanedCodes, seconds: 0, fields: {}, isDone: `status = 'canceled'` },
])('a code that another process works on delays no other: $run.name skips it', async (job) => {
  const { run, seconds, fields, isDone } = job
  const tenant = world.tenant()
  const ids: string[] = []
  for (let i = 0; i < 2; i += 1) {
    const given = run === recoverPayments ? { transaction: undefined, transaction_id: tenant.transaction().id } : {}
    const { id } = await tenant.create({ ...fields, ...given })
    await world.age(id, seconds)
    ids.push(id)
  }
  if (run === cancelOrphanedCodes) await world.deleteUnit(tenant.unitId)
  const held = ['SELECT 1 FROM codes WHERE id = $1::uuid FOR UPDATE', ids[0]] as const
  await whileLocked(world.database.ownerUrl, held, () => run(world.deps))
  const sql = `SELECT id::text FROM codes WHERE id = ANY($1::uuid[]) AND ${isDone}`
  expect(await world.rows(sql, ids)).toEqual([{ id: ids[1] }])
  await run(world.deps)
})

test('a message that another process claims delays no other: its row is skipped', async () => {
  const tenant = world.tenant()
  const [locked, free] = [await tenant.create(), await tenant.create()]
  const sql = 'SELECT 1 FROM messages WHERE code_id = $1::uuid FOR UPDATE'
  const held = await holdLock(world.database.ownerUrl, sql, locked.id)
  const loops = [world.startSending(), world.startSending()]
  const isSent = async (id: string) => (await tenant.read(id)).last_sent_at !== null
  await until(() => isSent(free.id))
  expect(await isSent(locked.id)).toBe(false)
  await held.release()
  await until(() => isSent(locked.id))
  await Promise.all(loops.map((loop) => loop.stop()))
  const attempts = await world.rows(
    'SELECT attempt_count::int AS count FROM messages WHERE code_id = ANY($1::uuid[])',
    [locked.id, free.id],
  )
  expect(attempts).toEqual([{ count: 1 }, { count: 1 }])
})

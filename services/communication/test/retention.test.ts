import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { redactOldRows } from '@payments/service/payers/retention'
import { retainedMessages } from '../src/erasure/messages.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const insert = (tenantId: string, count: number, days: number, status = 'sent') =>
  world.rows(
    `INSERT INTO communications (id, tenant_id, business_unit_id, communication_type, recipient, trace_id, status, provider,
       provider_message_id, error, content, due_at, created_at, sent_at)
     SELECT gen_random_uuid(), $1::uuid, gen_random_uuid(), 'EMAIL', 'payer@example.com', gen_random_uuid(),
       $4::"CommunicationStatus", 'smtp', 'id',
       CASE $4 WHEN 'failed' THEN '{"code":"refused","detail":"550 payer@example.com"}'::jsonb END,
       CASE $4 WHEN 'queued' THEN '{}'::jsonb END, CASE $4 WHEN 'queued' THEN now() END,
       now() - $3::int * interval '1 day', CASE $4 WHEN 'sent' THEN now() END
     FROM generate_series(1, $2::int)`,
    tenantId,
    count,
    days,
    status,
  )

const run = (days: number, more: { after?: string | null; tenantsMax?: number; runMsMax?: number } = {}) =>
  redactOldRows(world.deps, retainedMessages, { days, now: new Date(), after: null, ...more })
const redact = async (days: number) => (await run(days)).redacted
const named = async (tenantId: string) => {
  const [row] = await world.rows<{ count: number }>(
    `SELECT count(*)::int AS count FROM communications AS c
     WHERE tenant_id = $1::uuid AND (c::text LIKE '%payer@example.com%' OR provider_message_id IS NOT NULL)`,
    tenantId,
  )
  return row?.count
}

test('redacts sent and failed messages after their days, and keeps the rows', async () => {
  const [tenantId, none] = [randomUUID(), randomUUID()]
  for (const status of ['sent', 'failed']) await insert(tenantId, 1, 91, status)
  await insert(tenantId, 1, 91, 'queued')
  await insert(tenantId, 1, 89)
  expect(await redact(0)).toBe(0)
  expect(await redact(90)).toBe(2)
  expect(await named(tenantId)).toBe(2)
  const rows = await world.rows(`SELECT 1 FROM communications WHERE tenant_id = $1::uuid`, tenantId)
  expect([rows.length, await named(none)]).toEqual([4, 0])
  expect(await redact(90)).toBe(0)
})

test('a run redacts full batches until none is left; ten thousand of one tenant delay another by one batch', async () => {
  const [many, one] = [randomUUID(), randomUUID()].sort()
  await insert(many ?? '', 10_000, 100)
  await insert(one ?? '', 1, 91)
  expect(await run(90, { runMsMax: 0 })).toEqual({ redacted: 500, position: many })
  expect(await run(90, { runMsMax: 0, after: many ?? null })).toEqual({ redacted: 1, position: one })
  expect(await run(90)).toEqual({ redacted: 9_500, position: null })
  expect([await named(many ?? ''), await named(one ?? '')]).toEqual([0, 0])
})

test('runs reach every tenant, also with more of them than a round looks at at once', async () => {
  const tenants = Array.from({ length: 7 }, () => randomUUID())
  for (const tenantId of tenants) await insert(tenantId, 1, 91)
  let after: string | null = null
  for (let runs = 0; runs < tenants.length; runs += 1) {
    after = (await run(90, { after, tenantsMax: 2, runMsMax: 0 })).position
  }
  expect(await Promise.all(tenants.map(named))).toEqual(tenants.map(() => 0))
  await insert(tenants[0] ?? '', 1, 91)
  expect(await run(90, { tenantsMax: 2 })).toEqual({ redacted: 1, position: null })
})

test('the error of one tenant is logged, and ends the run of no other', async () => {
  const [failing, other] = [randomUUID(), randomUUID()].sort()
  for (const tenantId of [failing, other]) await insert(tenantId ?? '', 1, 91)
  const logged: object[] = []
  const redactOrFail: typeof retainedMessages.redact = (tx, tenantId, ...rest) => {
    if (tenantId === failing) throw new Error('a row that cannot be redacted')
    return retainedMessages.redact(tx, tenantId, ...rest)
  }
  const deps = { db: world.db, log: { error: (fields: object) => logged.push(fields) } }
  const rows = { ...retainedMessages, redact: redactOrFail }
  const ran = await redactOldRows(deps, rows, { days: 90, now: new Date(), after: null })
  expect(ran).toEqual({ redacted: 1, position: null })
  expect(logged).toMatchObject([{ tenant_id: failing, err: { message: 'a row that cannot be redacted' } }])
  expect([await named(failing ?? ''), await named(other ?? '')]).toEqual([1, 0])
})

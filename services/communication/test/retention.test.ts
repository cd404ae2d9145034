import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { redactOldRows } from '@payments/payer-erasure/retention'
import { retainedMessages } from '../src/erasure/retention.ts'
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

const redact = (days: number) => redactOldRows(world.db, retainedMessages, { days, now: new Date() })
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

test('ten thousand messages of one tenant do not delay the one of another, and each run is bounded', async () => {
  const [many, one] = [randomUUID(), randomUUID()]
  await insert(many, 10_000, 100)
  await insert(one, 1, 91)
  expect(await redact(90)).toBe(5_001)
  expect([await named(many), await named(one)]).toEqual([5_000, 0])
  expect(await redact(90)).toBe(5_000)
  expect(await named(many)).toBe(0)
})

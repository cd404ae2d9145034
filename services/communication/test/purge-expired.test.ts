import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { whileLocked } from '@payments/testing/database/held-lock'
import { until } from '@payments/testing/services/until'
import { purgeExpired } from '../src/verbs/purge-expired.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  world.startLoop()
})
afterAll(() => world.stop())

test('deletes expired Idempotency-Keys and messages of the outbox older than a week, and no other rows', async () => {
  const tenant = world.tenant()
  for (const key of ['old', 'young']) await tenant.send({}, { 'Idempotency-Key': key })
  await until(async () => (await tenant.outbox()).length === 2)
  const [young, old] = await tenant.outbox()
  await world.rows(`UPDATE idempotency_keys SET expires_at = now() - interval '1 s' WHERE key = 'old' RETURNING key`)
  await world.rows(
    `UPDATE outbox_messages SET created_at = now() - interval '8 days' WHERE id = $1::uuid RETURNING 1`,
    old.id,
  )
  await purgeExpired(world.deps)
  expect(await world.rows('SELECT key FROM idempotency_keys')).toEqual([{ key: 'young' }])
  expect(await tenant.outbox()).toEqual([young])
  expect((await tenant.get('/v1/communication/communications')).body.data).toHaveLength(2)
})

const expired = [
  ['message_rates', 'key', `(key, busy_until) VALUES ($1, now() - interval '1 day')`],
  [
    'outbox_messages',
    'id',
    `(id, tenant_id, business_unit_id, communication_type, recipient, content, created_at)
     VALUES ($1::text::uuid, gen_random_uuid(), gen_random_uuid(), 'EMAIL', 'x', '{}', now() - interval '8 days')`,
  ],
] as const

test.each(expired)('skips a row of %s that another transaction holds', async (table, column, values) => {
  const ids = [randomUUID(), randomUUID()]
  for (const id of ids) await world.rows(`INSERT INTO ${table} ${values} RETURNING 1`, id)
  const held = `SELECT 1 FROM ${table} WHERE ${column}::text = $1 FOR UPDATE`
  await whileLocked(world.database.ownerUrl, [held, ids[0]], () => purgeExpired(world.deps))
  const left = await world.rows(`SELECT ${column}::text AS id FROM ${table} WHERE ${column}::text = ANY ($1)`, ids)
  expect(left).toEqual([{ id: ids[0] }])
})

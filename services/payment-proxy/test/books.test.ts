import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createApp } from '../src/app.ts'
import { startWorld, type World } from './world.ts'

/** A decision is written only on the books that it was taken on. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** The service while another process changes the transaction before the first `changes` writes of a request. */
function movedBefore(changes: number, id: string) {
  const { db } = world.deps
  let statements = 0
  const pipelined: typeof db.pipelined = async (tenantId, sent) => {
    statements += 1
    const isWrite = statements % 2 === 0
    if (isWrite && statements <= 2 * changes) {
      await world.rows('UPDATE transactions SET version = version + 1 WHERE id = $1::uuid', id)
    }
    return db.pipelined(tenantId, sent)
  }
  return createApp({ ...world.deps, db: { ...db, pipelined } })
}

test('a request decides again on a transaction that has changed since it was read', async () => {
  const { tenant, id } = await world.authorized()
  const { status, body } = await tenant.through(movedBefore(2, id)).capture(id, { amount: 100 }, 'key')
  expect([status, body.amount_captured]).toEqual([200, 100])
  expect(await tenant.recorded()).toEqual(await tenant.ledger())
})

test('a request whose transaction changes before each of three writes is a 409 that changes nothing', async () => {
  const { tenant, id } = await world.authorized()
  const rejected = await tenant.through(movedBefore(3, id)).capture(id, { amount: 100 }, 'key')
  expect([rejected.status, rejected.body.code, rejected.get('Retry-After')]).toEqual([
    409,
    'operation_in_progress',
    '1',
  ])
  expect([await tenant.recorded(), await tenant.eventTypes()]).toMatchObject([
    [{ type: 'authorize' }],
    ['create', 'authorize'],
  ])
  expect((await tenant.capture(id, { amount: 100 }, 'key')).status).toBe(200)
})

test('a key is new again when it has expired', async () => {
  const { tenant, id } = await world.captured()
  await tenant.refund(id, { amount: 100 }, 'key')
  await world.rows(
    `UPDATE idempotency_keys SET expires_at = now() - interval '1 s' WHERE tenant_id = $1::uuid`,
    tenant.id,
  )
  const { status, body, headers } = await tenant.refund(id, { amount: 100 }, 'key')
  expect([status, body.amount_refunded, headers['idempotent-replayed']]).toEqual([200, 200, undefined])
  expect((await tenant.refund(id, { amount: 100 }, 'key')).body).toEqual(body)
})

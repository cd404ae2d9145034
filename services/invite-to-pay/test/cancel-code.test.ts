import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { codesPath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('cancels an active and an expired code, with one event, once for ten requests at once', async () => {
  const tenant = world.tenant()
  for (const seconds of [0, 25 * 3600]) {
    const code = await tenant.create()
    await world.age(code.id, seconds)
    const cancel = () => tenant.post(`${codesPath}/${code.id}/cancel`)
    const replies = await Promise.all(Array.from({ length: 10 }, cancel))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await tenant.read(code.id)).toMatchObject({ status: 'canceled', canceled_by: 'request', url: null })
    const events = (await tenant.events()).filter(({ payload }) => payload.code.id === code.id)
    expect(events.map(({ type }) => type)).toEqual(['invite-to-pay.codes.create', 'invite-to-pay.codes.cancel'])
  }
})

test('repeats the response for a repeated Idempotency-Key, and stores no link', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const headers = { 'Idempotency-Key': randomUUID() }
  const cancel = () => tenant.post(`${codesPath}/${code.id}/cancel`, {}, headers)
  const [first, again] = [await cancel(), await cancel()]
  expect([again.status, again.body]).toEqual([200, first.body])
  const keys = await world.rows<{ reply: object }>(
    'SELECT reply FROM idempotency_keys WHERE tenant_id = $1::uuid',
    tenant.id,
  )
  expect(JSON.stringify(keys)).not.toContain(code.url.slice(-22))
})

test('rejects a code that has ended or is being paid, and one of another tenant, and changes nothing', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const cancel = (of = tenant) => of.post(`${codesPath}/${code.id}/cancel`)
  expect(outcome(await cancel(world.tenant()))).toEqual([404, 'code_not_found'])
  world.payments.faults.beforePayment = async () => {
    throw new Error('lost')
  }
  await world.pay(code)
  world.payments.faults.beforePayment = async () => {}
  expect(outcome(await cancel())).toEqual([409, 'code_not_active'])
  expect((await tenant.read(code.id)).status).toBe('processing')
})

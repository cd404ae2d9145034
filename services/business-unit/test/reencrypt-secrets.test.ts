import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { created, httpProvider, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('reencryptSecrets encrypts credentials under a newer data key, with the same value and fingerprint', async () => {
  const of = await world.unit()
  const one = await created(of, httpProvider())
  const path = `/internal/tenants/${of.tenantId}/payment-orchestrators/${one.id}/gateway-authentication`
  const read = async () => (await world.asService('payment-proxy').get(path)).body
  const dataKey = async () => {
    const [row] = await world.rows<{ id: string }>(
      `SELECT encode(substring(gateway_authentication_encrypted FROM 2 FOR 16), 'hex') AS id FROM payment_orchestrators`,
    )
    return row?.id
  }
  const [before, previous] = [await read(), await dataKey()]
  const since = new Date(Date.now() + 1).toISOString()
  const body = { after: null, limit: 10, since }
  const { response } = await world.asOperator.post('/internal/secrets/reencrypt', body)
  expect([response.status, response.body]).toEqual([
    200,
    { current: 'k1', done: 1, failed: 0, remaining: 0, next: null },
  ])
  expect(await dataKey()).not.toBe(previous)
  expect(await read()).toEqual(before)
  expect((await world.asOperator.post('/internal/secrets/reencrypt', body)).response.body.done).toBe(0)
})

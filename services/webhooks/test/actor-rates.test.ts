import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { webhooks } from '@payments/contracts/services/webhooks/contract'
import { serviceApp } from '@payments/service/app'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { requireBusinessUnits } from '../src/api/business-units.ts'
import { createRates, routes } from '../src/api/routes.ts'
import { startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  ;[world, endpoint] = [await startWorld(), await receiver()]
  await world.dispatch()
})
afterAll(async () => {
  await endpoint.close()
  await world.stop()
})

/** A subscription, and keys of its tenant at an app: it sends 4 test events and retries 4 times within a test. */
async function limited() {
  const subscribed = await subscribe(world, endpoint.url)
  const rate = { perSecond: 1 / 3_600, burst: 4 }
  const handlers = requireBusinessUnits(world.deps, routes(world.deps, createRates(rate, rate)))
  const app = serviceApp(webhooks, handlers, world.deps)
  return { ...subscribed, key: () => world.asTenant(subscribed.tenantId, undefined, undefined, app) }
}

type Key = Awaited<ReturnType<typeof limited>>['key']

/** The responses to two keys that post as often as they may, and once more. */
async function used(key: Key, path: string) {
  const [first, second] = [key(), key()]
  const replies = []
  for (const by of [first, first, first, second, second, key()]) replies.push(await by.post(path))
  return replies.map(({ status, body }) => (status === 429 ? body.detail : status))
}

test('a key has half of the test events of its tenant', async () => {
  const { key, path } = await limited()
  expect(await used(key, `${path}/test`)).toEqual([
    ...[202, 202, 'The API key sends test events too often'],
    ...[202, 202, 'The tenant sends test events too often'],
  ])
})

test('a retry that changes nothing does not count, and a key has half of the retries of its tenant', async () => {
  const { key, path, tenant, deliveries } = await limited()
  await tenant.post(`${path}/test`)
  await until(async () => (await deliveries('?status=delivered')).length === 1)
  const [delivery] = await deliveries()
  const retry = path.replace(/webhooks\/[^/]+$/, `deliveries/${delivery?.id}/retry`)
  const by = key()
  for (let absent = 0; absent < 5; absent += 1) {
    expect((await by.post(retry.replace(delivery?.id ?? '', '01900000-0000-7000-8000-000000000000'))).status).toBe(404)
  }
  const retried = async (of: ReturnType<Key>) => {
    await until(async () => (await deliveries('?status=delivered')).length === 1)
    const { status, body } = await of.post(retry)
    return status === 429 ? body.detail : status
  }
  expect(await retried(by)).toBe(202)
  expect(await retried(by)).toBe(202)
  expect(await retried(by)).toBe('The API key retries deliveries too often')
  expect(await retried(key())).toBe(202)
})

import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Received, type Receiver, receiver } from '@payments/testing/peers/receiver'
import { Webhook } from 'standardwebhooks'
import { type Subscribed, someEvent, startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld()
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
})
afterEach(() => endpoint.close())

const readSecret = async ({ tenantId, path }: Subscribed) =>
  (await world.asTenant(tenantId).get(`${path}/reveal`)).body.secret as string
const readRow = ({ tenantId, id }: Subscribed) =>
  world.db.inTenant(tenantId, (tx) => tx.subscription.findUniqueOrThrow({ where: { id } }))

async function delivered({ tenantId, unitId }: Subscribed): Promise<Received> {
  const event = someEvent(tenantId, unitId)
  await world.publish(event)
  const [got] = await endpoint.waitFor((one) => one.headers['webhook-id'] === event.id)
  if (got === undefined) throw new Error('nothing was received')
  return got
}

function isSignedBy(secret: string, { body, headers }: Received): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

test('signs with both secrets during the grace period, and with the current one after it', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const rotated = await subscribed.tenant.post(`${subscribed.path}/rotate-secret`, { grace_period_seconds: 3600 })
  expect([rotated.status, rotated.body]).toEqual([200, (await subscribed.tenant.get(subscribed.path)).body])
  expect(rotated.body.secret).toMatch(/^whsec_….{4}$/)
  const [previous, current] = [subscribed.secret, await readSecret(subscribed)]
  expect(current).not.toBe(previous)

  const during = await delivered(subscribed)
  expect(during.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
  expect([previous, current].map((secret) => isSignedBy(secret, during))).toEqual([true, true])

  await world.db.inTenant(subscribed.tenantId, (tx) =>
    tx.$executeRawUnsafe(`UPDATE subscriptions SET previous_secret_expires_at = now() - interval '1 millisecond'`),
  )
  const after = await delivered(subscribed)
  expect([previous, current].map((secret) => isSignedBy(secret, after))).toEqual([false, true])
})

test('without a grace period, deletes the previous secret at once', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  expect((await subscribed.tenant.post(`${subscribed.path}/rotate-secret`)).status).toBe(200)
  const got = await delivered(subscribed)
  expect([subscribed.secret, await readSecret(subscribed)].map((secret) => isSignedBy(secret, got))).toEqual([
    false,
    true,
  ])
  expect(await readRow(subscribed)).toMatchObject({ previousSecretEncrypted: null, previousSecretExpiresAt: null })
})

test('a second rotation during a grace period ends it for the older secret', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const rotate = () => subscribed.tenant.post(`${subscribed.path}/rotate-secret`, { grace_period_seconds: 60 })
  await rotate()
  const second = await readSecret(subscribed)
  await rotate()
  const got = await delivered(subscribed)
  const secrets = [subscribed.secret, second, await readSecret(subscribed)]
  expect(secrets.map((secret) => isSignedBy(secret, got))).toEqual([false, true, true])
})

test('the deletion of a subscription deletes both secrets', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await subscribed.tenant.post(`${subscribed.path}/rotate-secret`, { grace_period_seconds: 60 })
  await subscribed.tenant.delete(subscribed.path)
  expect(await readRow(subscribed)).toMatchObject({ secretEncrypted: null, previousSecretEncrypted: null })
  const again = await subscribed.tenant.post(`${subscribed.path}/rotate-secret`)
  expect([again.status, again.body.code]).toEqual([404, 'subscription_not_found'])
})

test('rotates once per Idempotency-Key; ten rotations at once leave the last secret and the previous one', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const path = `${subscribed.path}/rotate-secret`
  const headers = { 'Idempotency-Key': randomUUID() }
  const first = await subscribed.tenant.post(path, { grace_period_seconds: 60 }, headers)
  const other = world.asTenant(subscribed.tenantId)
  const again = await other.post(path, { grace_period_seconds: 60 }, headers)
  expect(again.body.secret).toMatch(/^whsec_….{4}$/)
  expect([again.body, again.headers['idempotent-replayed']]).toEqual([first.body, 'true'])
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => subscribed.tenant.post(path, { grace_period_seconds: 60 })),
  )
  expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
  const got = await delivered(subscribed)
  expect(String(got.headers['webhook-signature']).split(' ')).toHaveLength(2)
  expect(isSignedBy(await readSecret(subscribed), got)).toBe(true)
  expect(isSignedBy(subscribed.secret, got)).toBe(false)
})

test.each([[-1], [604_801], [1.5], ['60'], [null]])('rejects a grace period of %j', async (grace_period_seconds) => {
  const subscribed = await subscribe(world, endpoint.url)
  const reply = await subscribed.tenant.post(`${subscribed.path}/rotate-secret`, { grace_period_seconds })
  expect([reply.status, reply.body.errors[0].pointer]).toEqual([400, '/grace_period_seconds'])
  expect(await readSecret(subscribed)).toBe(subscribed.secret)
})

/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { missSome } from './missed.ts'
import { type ConsoleWorld, openConsoleWorld, type SignedIn } from './world.ts'

/** Home and the pages of webhooks as a person with few permissions sees them. */
let world: ConsoleWorld
let viv: SignedIn
let endpoint: Receiver
let userId: string
let paths: readonly string[]

beforeAll(async () => {
  endpoint = await receiver()
  world = await openConsoleWorld(sharedPlatform())
  await missSome(world, endpoint)
  viv = await world.signIn('viv', { roleName: 'viewer' })
  const first = async (path: string) => (await world.call('GET', path)).body.data[0]
  userId = (await first(`/v1/identity/users?email=${world.people.viv}`)).id
  const unitId = world.tenant.business_unit_id
  const subscription = `/subscriptions/${unitId}/${(await first(`/v1/webhooks/${unitId}/webhooks`)).id}`
  const letterId = (await first('/v1/webhooks/dead-letters')).id
  const eventId = (await first('/v1/webhooks/events?event_type=webhooks.test')).tenant_event_id
  paths = [
    '/subscriptions',
    subscription,
    `${subscription}/recover`,
    '/auth-infos',
    `/auth-infos/${(await first('/v1/webhooks/auth-info')).id}`,
    '/events',
    `/events/${eventId}?business_unit_id=${unitId}`,
    '/deliveries',
    `/deliveries/${unitId}/${letterId}`,
    '/dead-letters?group_by=subscription',
    '/dead-letters/list',
    `/dead-letters/${letterId}`,
    '/tasks',
    `/tasks/${(await first('/v1/webhooks/dead-letters/tasks')).id}`,
  ]
}, 300_000)
afterAll(async () => {
  await world?.stop()
  await endpoint?.close()
})

test.each([
  'webhook:ReadSubscription',
  'webhook:ReadAuthInfo',
  'webhook:ReadDelivery',
  'webhook:RetryDelivery',
  'deadletter:ReadDeadLetter',
])(
  'with %s alone, no page sends a request that is denied',
  async (permission) => {
    const { page, faults } = viv
    // A page that is open may have sent requests that the person was permitted before.
    await page.goto('about:blank')
    await permitOnly(permission)
    for (const path of paths) {
      await page.goto(`${world.platform.gatewayUrl}/console${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.getByText('Loading …').waitFor({ state: 'detached' })
      expect([path, faults]).toEqual([path, []])
    }
  },
  240_000,
)

test.each([
  ['nothing', null, 'Your roles permit nothing yet.'],
  ['none of its parts', 'rbac:ReadRole', 'Your roles permit no part of this page.'],
])(
  'Home says so to a person who may read %s',
  async (_case, permission, title) => {
    const { page, faults } = viv
    await page.goto('about:blank')
    await permitOnly(permission)
    await page.goto(`${world.platform.gatewayUrl}/console`)
    await page.getByText(title).waitFor()
    expect(await page.getByRole('main').getByRole('region').count()).toBe(0)
    expect(faults).toEqual([])
  },
  240_000,
)

test('Home says nothing about roles to a person who may read a part of it', async () => {
  const { page } = viv
  await permitOnly('apikey:ReadKey')
  await page.goto(`${world.platform.gatewayUrl}/console`)
  await page.getByRole('region', { name: 'API keys to watch' }).waitFor()
  expect(await page.getByText('Your roles permit').isVisible()).toBe(false)
}, 240_000)

/** Gives the person one role, with this permission alone. Null: no role. */
async function permitOnly(permission: string | null): Promise<void> {
  const role_ids: string[] = []
  if (permission !== null) {
    const { body: role } = await world.call('POST', '/v1/rbac/roles', { name: permission, permissions: [permission] })
    role_ids.push(role.id)
  }
  expect((await world.call('PATCH', `/v1/identity/users/${userId}`, { role_ids })).status).toBe(200)
}

/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { withClient } from '@payments/devkit/servers/databases'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { missSome } from './missed.ts'
import { type ConsoleWorld, openConsoleWorld, type SignedIn } from './world.ts'

/** A tenant with twelve business units. The failing subscription belongs to the oldest unit. */
let world: ConsoleWorld
let ada: SignedIn
let endpoint: Receiver
const label = 'shop <img src=x onerror=alert(1)>'

beforeAll(async () => {
  endpoint = await receiver()
  world = await openConsoleWorld(sharedPlatform())
  await missSome(world, endpoint)
  for (let number = 2; number <= 12; number += 1) {
    const unit = { name: `Shop ${number}`, timezone_name: 'Europe/Berlin' }
    expect((await world.call('POST', '/v1/business-unit/business-units', unit)).status).toBe(201)
  }
  ada = await world.signIn('ada')
}, 300_000)
afterAll(async () => {
  await world?.stop()
  await endpoint?.close()
})

const open = (path: string) => ada.page.goto(`${world.platform.gatewayUrl}/console${path}`)

test('Home shows a failing subscription of the oldest unit', async () => {
  await open('')
  const card = ada.page.getByRole('region', { name: 'Subscriptions to watch' })
  await card.getByRole('link', { name: label }).waitFor()
  expect(await card.getByText('failing', { exact: true }).count()).toBe(1)
}, 240_000)

test.each(['/deliveries', '/dead-letters/list'])(
  '%s is filtered by an endpoint of the oldest unit',
  async (path) => {
    await open(path)
    const filter = ada.page.getByLabel('Endpoint', { exact: true })
    await filter.selectOption(label)
    await ada.page.waitForURL(/subscription_id=/)
    expect(await filter.locator('option').allInnerTexts()).toEqual(['Every endpoint', label])
  },
  240_000,
)

test('a group of dead letters has the name of its subscription', async () => {
  await open('/dead-letters?group_by=subscription')
  const group = ada.page.getByRole('table', { name: 'Groups of dead letters' }).getByRole('link', { name: label })
  await group.waitFor()
  expect(await group.count()).toBe(1)
}, 240_000)

/** Newer than the others. They receive no event of the tenant. */
async function insertSubscriptions(count: number): Promise<void> {
  await withClient(world.platform.databases.webhooks.ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    await owner.query(
      `INSERT INTO subscriptions (id, tenant_id, business_unit_id, destination_url, event_types, secret_masked, updated_at)
       SELECT ('ffffffff' || substr(gen_random_uuid()::text, 9))::uuid, $1::uuid, $2::uuid,
         'https://example.com/' || n, '{webhooks.test}', 'whsec_…', now() FROM generate_series(1, $3::int) AS n`,
      [world.tenant.tenant_id, world.tenant.business_unit_id, count],
    )
  })
}

test('Home and the filter say that they have the newest subscriptions only', async () => {
  await insertSubscriptions(1_000)
  await open('')
  const card = ada.page.getByRole('region', { name: 'Subscriptions to watch' })
  await card.getByText('Of the newest 1,000 subscriptions.').waitFor()
  await open('/deliveries')
  const options = ada.page.getByLabel('Endpoint', { exact: true }).locator('option')
  await options.nth(1_000).waitFor({ state: 'attached' })
  const [every] = await options.allInnerTexts()
  expect([every, await options.count()]).toEqual(['Every endpoint (the newest 1,000 are listed)', 1_001])
}, 240_000)

test('no request was refused, no script failed, and nothing came from elsewhere', () => {
  expect(ada.faults).toEqual([])
})

/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type Call, createCaller } from '../tenant.ts'
import { until } from '../until.ts'
import { type ConsoleWorld, openConsoleWorld, type SignedIn } from './world.ts'

/** Changes while a page begins to wait for them. */
let world: ConsoleWorld
let ada: SignedIn
const changes = '/v1/webhooks/changes'

beforeAll(async () => {
  world = await openConsoleWorld(sharedPlatform())
  ada = await world.signIn('ada')
  const body = { destination_url: 'https://example.com/hooks', enabled: false, event_types: ['rbac.roles.*'] }
  await world.call('POST', `/v1/webhooks/${world.tenant.business_unit_id}/webhooks`, body)
}, 300_000)
afterAll(() => world?.stop())

/** Creates a role, and waits until its event is listed and every change of it is reported. */
async function createRole(name: string): Promise<void> {
  const body = { name, permissions: ['transaction:ReadTransaction'] }
  let after: string = (await world.call('GET', changes)).body.next_cursor
  const { body: role } = await world.call('POST', '/v1/rbac/roles', body)
  await until('event of the role, and end of its changes', async () => {
    const { body: reply } = await world.call('GET', `${changes}?wait_seconds=2&after=${after}`)
    after = reply.next_cursor
    const { body: events } = await world.call('GET', `/v1/webhooks/events?resource_id=${role.id}`)
    return events.data.length > 0 && reply.topics.length === 0
  })
}

test('a change after the first read of a list, before the first wait, is on the screen', async () => {
  const { page } = ada
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(`**${changes}*`, async (route) => {
    await released
    await route.continue()
  })
  await createRole('waiter')
  await page.goto(`${world.platform.gatewayUrl}/console/events`)
  const events = page.getByRole('table', { name: 'Events' }).getByRole('link', { name: 'rbac.roles.create' })
  await events.first().waitFor()
  expect(await events.count()).toBe(1)
  await createRole('barista')
  release()
  await events.nth(1).waitFor()
  expect(await events.count()).toBe(2)
}, 240_000)

/** Keeps all waits of the tenant open, with API keys. Returns the function that ends that. */
async function takeAllWaits(): Promise<() => Promise<void>> {
  const role = world.tenant.roles.find(({ name }) => name === 'admin')
  const { body: now } = await world.call('GET', `${changes}?wait_seconds=0`)
  let isEnded = false
  const keepOpen = async (call: Call) => {
    let after: string = now.next_cursor
    await until(
      'end of the test',
      async () => {
        const { status, body } = await call('GET', `${changes}?wait_seconds=5&after=${after}`)
        if (status === 200) after = body.next_cursor
        return isEnded
      },
      240_000,
    )
  }
  const loops: Promise<void>[] = []
  for (let keys = 0; keys < 4; keys++) {
    const { body } = await world.call('POST', '/v1/api-key/keys', { name: `waiter ${keys}` })
    await world.call('PUT', `/v1/api-key/keys/${body.id}/roles`, { role_ids: [role?.id] })
    const call = createCaller(world.platform, body.value, world.tenant.tenant_id, 60_000)
    for (let waits = 0; waits < 5; waits++) loops.push(keepOpen(call))
  }
  return async () => {
    isEnded = true
    await Promise.all(loops)
  }
}

test('without a wait left for the tenant, a change is on the screen all the same', async () => {
  const { page } = ada
  // Ends the wait of the open page.
  await page.goto('about:blank')
  const endWaits = await takeAllWaits()
  const refused = page.waitForResponse((response) => response.url().includes(changes) && response.status() === 429)
  await page.goto(`${world.platform.gatewayUrl}/console/events`)
  const events = page.getByRole('table', { name: 'Events' }).getByRole('link', { name: 'rbac.roles.create' })
  await events.first().waitFor()
  await refused
  const before = await events.count()
  const body = { name: 'cashier', permissions: ['transaction:ReadTransaction'] }
  expect((await world.call('POST', '/v1/rbac/roles', body)).status).toBe(201)
  await events.nth(before).waitFor()
  expect(await events.count()).toBe(before + 1)
  await endWaits()
}, 240_000)

test('no request was refused, no script failed, and nothing came from elsewhere', () => {
  expect(ada.faults).toEqual([])
})

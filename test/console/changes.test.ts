import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
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

test('no request was refused, no script failed, and nothing came from elsewhere', () => {
  expect(ada.faults).toEqual([])
})

/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type ConsoleWorld, openConsoleWorld, type SignedIn } from './world.ts'

/** The events of a tenant: found by a filter, read, and explained. Each test needs the previous ones. */
let world: ConsoleWorld
let ada: SignedIn
let roleId: string

beforeAll(async () => {
  world = await openConsoleWorld(sharedPlatform())
  ada = await world.signIn('ada')
  const path = `/v1/webhooks/${world.tenant.business_unit_id}/webhooks`
  const body = { destination_url: 'https://example.com/hooks', enabled: false }
  await world.call('POST', path, { ...body, label: 'every role', event_types: ['rbac.roles.*'] })
  await world.call('POST', path, { ...body, label: 'payments only', event_types: ['payment-proxy.*'] })
  const unit = { name: 'Second store', timezone_name: 'Europe/Berlin' }
  await world.call('POST', '/v1/business-unit/business-units', unit)
  const description = 'books\u202e\u0085 <b>tables</b>'
  const role = { name: 'waiter', description, permissions: ['transaction:ReadTransaction'] }
  roleId = (await world.call('POST', '/v1/rbac/roles', role)).body.id
}, 300_000)
afterAll(() => world?.stop())

test('an event is found by its resource, without a reload, and the filter is in the URL', async () => {
  const { page } = ada
  await page.getByRole('link', { name: 'Events', exact: true }).click()
  await page.getByLabel('Resource id').fill(roleId)
  await page.keyboard.press('Enter')
  const rows = page.getByRole('table', { name: 'Events' }).getByRole('link', { name: 'rbac.roles' })
  await rows.first().waitFor()
  await page.getByLabel('Event type').selectOption('rbac.roles.create')
  await page.waitForURL(/event_type=rbac\.roles\.create/)
  await rows.first().waitFor()
  expect(await rows.allInnerTexts()).toEqual(['rbac.roles.create'])
  expect(new URL(page.url()).searchParams.get('resource_id')).toBe(roleId)
}, 240_000)

test('the resource of an event is one link away', async () => {
  const { page } = ada
  await page.getByRole('table', { name: 'Events' }).getByRole('link', { name: roleId }).click()
  await page.getByRole('heading', { name: 'waiter', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/console/roles/${roleId}`)
  await page.goBack()
}, 240_000)

test('the payload is shown with its invisible characters as escapes', async () => {
  const { page } = ada
  await page.getByRole('link', { name: 'rbac.roles.create' }).click()
  const payload = await page.getByRole('region', { name: 'Payload of the event' }).innerText()
  expect(payload).toContain('books\\u202e\\u0085 <b>tables</b>')
  expect(payload).not.toMatch(/[\u202e\u0085]/)
}, 240_000)

test('an event of the whole tenant is explained for the chosen business unit', async () => {
  const { page } = ada
  await page.getByLabel('Business unit').selectOption('Second store')
  await page.getByText('The business unit has no subscription.').waitFor()
  await page.getByLabel('Business unit').selectOption('Juniper Coffee')
  await page.getByRole('table', { name: 'Outcomes' }).waitFor()
  expect(await page.getByText('The business unit has no subscription.').count()).toBe(0)
}, 240_000)

test('each subscription has an outcome with its reason', async () => {
  const { page } = ada
  const outcomes = page.getByRole('table', { name: 'Outcomes' })
  await outcomes.getByText('held', { exact: true }).waitFor()
  await outcomes.getByRole('link', { name: 'payments only' }).waitFor()
  await outcomes.getByText('The event_types of the subscription do not match rbac.roles.create').waitFor()
  await outcomes.getByRole('link', { name: 'Open' }).click()
  await page.getByRole('heading', { name: 'rbac.roles.create', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toMatch(/\/deliveries\//)
}, 240_000)

test('the events of one business unit are listed by its name', async () => {
  const { page } = ada
  await page.getByRole('link', { name: 'Events', exact: true }).click()
  await page.getByLabel('Business unit').selectOption('Juniper Coffee')
  await page.waitForURL(new RegExp(`business_unit_id=${world.tenant.business_unit_id}`))
  const { body } = await world.call('GET', `/v1/webhooks/events?business_unit_id=${world.tenant.business_unit_id}`)
  const cells = page.getByRole('table', { name: 'Events' }).getByRole('cell')
  await cells.getByText('the whole tenant').first().waitFor({ state: 'detached' })
  expect(body.data.length).toBeGreaterThan(0)
  await cells
    .getByText('Juniper Coffee')
    .nth(body.data.length - 1)
    .waitFor()
  expect(await cells.getByText('Juniper Coffee').count()).toBe(body.data.length)
}, 240_000)

test('an event in the time line of a transaction leads to the event, whichever unit was chosen before', async () => {
  const { page } = ada
  const { body } = await world.call('POST', '/v1/payment-proxy/transactions', {
    business_unit_id: world.tenant.business_unit_id,
    currency: 'EUR',
    amount: 100,
  })
  await page.goto(`${world.platform.gatewayUrl}/console/subscriptions`)
  await page.getByLabel('Business unit').selectOption('Second store')
  await page.goto(`${world.platform.gatewayUrl}/console/transactions/${body.id}`)
  const line = page.getByRole('region', { name: 'Time line' })
  await line.getByRole('link', { name: 'payment-proxy.transactions.create' }).last().click()
  await page.getByRole('region', { name: 'Payload of the event' }).waitFor()
  expect(new URL(page.url()).searchParams.get('business_unit_id')).toBe(world.tenant.business_unit_id)
}, 240_000)

test('no request was refused, no script failed, and nothing came from elsewhere', () => {
  expect(ada.faults).toEqual([])
})

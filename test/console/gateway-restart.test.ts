/** @slow It starts its own platform. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import { type ConsoleWorld, openConsoleWorld, type SignedIn } from './world.ts'

/** The gateway restarts, and identity is gone, while a page is open. */
let stack: TestStack
let world: ConsoleWorld
let ada: SignedIn

beforeAll(async () => {
  stack = await startTestStack({ without: ['payment-proxy', 'invite-to-pay'] })
  world = await openConsoleWorld(stack)
  ada = await world.signIn('ada')
}, 300_000)
afterAll(async () => {
  await world?.stop()
  await stack?.stop()
}, 120_000)

test('a form that was sent while the gateway was gone takes effect once, and the page continues', async () => {
  const { page } = ada
  await page.goto(`${stack.gatewayUrl}/console/roles`)
  await page.getByRole('button', { name: 'Create role' }).click()
  await page.getByLabel('Name', { exact: true }).fill('night shift')
  await page.getByRole('checkbox', { name: 'ReadTransaction' }).check()
  await stack.kill('gateway')
  const submit = page.getByRole('dialog').getByRole('button', { name: 'Create role' })
  await submit.click()
  await page
    .getByRole('dialog')
    .getByText(/Sent again without a change/)
    .waitFor()
  await stack.restart('gateway')
  await submit.click()
  await page.getByRole('heading', { name: 'night shift', level: 1 }).waitFor()
  const { body } = await world.call('GET', '/v1/rbac/roles?limit=200')
  expect(body.data.filter(({ name }: { name: string }) => name === 'night shift')).toHaveLength(1)
}, 240_000)

test('a live list continues after a restart of the gateway, without a reload', async () => {
  const { page } = ada
  const unit = world.tenant.business_unit_id
  const path = `/v1/webhooks/${unit}/webhooks`
  await page.goto(`${stack.gatewayUrl}/console/deliveries`)
  await page.getByText('No delivery matches.').waitFor()
  await stack.restart('gateway')
  // Nothing listens there: the delivery appears and fails.
  const { body } = await world.call('POST', path, { destination_url: 'http://127.0.0.1:9/' })
  await world.call('POST', `${path}/${body.id}/test`)
  const rows = page.getByRole('table', { name: 'Deliveries' }).getByRole('link', { name: 'webhooks.test' })
  await rows.first().waitFor()
  expect(await rows.count()).toBe(1)
}, 240_000)

test('a sign-out that the platform refuses says so, and can be repeated', async () => {
  const { page } = ada
  await page.goto(`${stack.gatewayUrl}/console/roles`)
  await page.getByRole('heading', { name: 'Roles', level: 1 }).waitFor()
  await stack.kill('identity')
  await page.getByRole('button', { name: /^Menu of/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  const dialog = page.getByRole('dialog', { name: 'The sign-out failed' })
  await dialog.getByText(/^Payment Service responded with status 50\d\. You .* still (?:be )?signed in\./).waitFor()
  expect(new URL(page.url()).pathname).toBe('/console/roles')
  await stack.restart('identity')
  await dialog.getByRole('button', { name: 'Sign out again' }).click()
  await page.waitForURL(/\/session\/signed-out$/)
  const names = (await ada.context.cookies()).map(({ name }) => name)
  expect(names.filter((name) => !name.startsWith('dev_sign_in'))).toEqual([])
}, 240_000)

/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { until } from '../until.ts'
import { type ConsoleWorld, openConsoleWorld, type SignedIn, stepMs } from './world.ts'

/** Where the focus is in dialogs and forms. */
let world: ConsoleWorld
let ada: SignedIn

beforeAll(async () => {
  world = await openConsoleWorld(sharedPlatform())
  ada = await world.signIn('ada')
}, 300_000)
afterAll(() => world?.stop())

const open = async (path: string) => {
  await ada.page.goto(`${world.platform.gatewayUrl}/console${path}`)
  await ada.page.getByRole('heading', { level: 1 }).waitFor()
}
const button = (name: string | RegExp) => ada.page.getByRole('button', { name })
const dialog = () => ada.page.getByRole('dialog')
/** The name of what has the focus. */
const focused = () =>
  ada.page.evaluate<string>(
    `document.activeElement.labels?.[0]?.textContent ?? document.activeElement.ariaLabel ?? document.activeElement.textContent`,
  )

test.each([
  ['/keys', 'Create API key', 'Name'],
  ['/roles', 'Create role', 'Name'],
  ['/users', 'Invite user', 'Email address'],
  ['/units', 'Create business unit', 'Name'],
  ['/templates', 'Create template', 'Channel'],
])('at %s, the dialog “%s” starts at its first field, and gives the focus back', async (path, opener, field) => {
  await open(path)
  await button(opener).click()
  await dialog().waitFor()
  expect(await focused()).toBe(field)
  await ada.page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'detached' })
  expect(await focused()).toBe(opener)
})

test('after a refused save, the focus is at the first field with an error, which names it', async () => {
  await open(`/units/${world.tenant.business_unit_id}`)
  await button('Edit').first().click()
  await dialog().getByLabel('Time zone').fill('Mars/Olympus')
  await dialog().getByLabel('Default currency').fill('XXQ')
  await button('Save').click()
  const zone = dialog().getByLabel('Time zone')
  await dialog().locator('[aria-invalid=true]').first().waitFor()
  await until('the focus is at the field', async () => (await focused()) === 'Time zone', stepMs)
  const described = await zone.getAttribute('aria-describedby')
  const error = ada.page.locator(`#${described?.split(' ').at(-1)}`)
  expect(await error.getAttribute('role')).toBe('alert')
  expect(await error.isVisible()).toBe(true)
  await ada.page.keyboard.press('Escape')
})

test('after a rejection that names no field, the focus is at its reason', async () => {
  const [role] = world.tenant.roles.filter(({ name }) => name === 'admin')
  await open(`/roles`)
  await button('Create role').click()
  await dialog().getByLabel('Name', { exact: true }).fill(` ${role?.name} `)
  await button(/^Create role$/)
    .last()
    .click()
  await dialog().getByRole('alert').waitFor()
  const isAtReason = () =>
    ada.page.evaluate<boolean>(`document.activeElement.matches('[aria-invalid=true], [role=alert]')`)
  await until('the focus is at the reason', isAtReason, stepMs)
  expect(await dialog().getByRole('alert').textContent()).toMatch(/name/i)
  await ada.page.keyboard.press('Escape')
})

test('the invitation of a user is canceled after a question, which starts at the button that changes nothing', async () => {
  const roleIds = world.tenant.roles.filter(({ name }) => name === 'viewer').map(({ id }) => id)
  const { status } = await world.call('POST', '/v1/identity/user-invitations', {
    email: world.people.viv,
    role_ids: roleIds,
  })
  expect(status).toBe(201)
  await open('/users')
  const cancel = button(`Cancel the invitation of ${world.people.viv}`)
  await cancel.click()
  expect(await focused()).toBe('Keep it')
  await ada.page.keyboard.press('Enter')
  await dialog().waitFor({ state: 'detached' })
  expect(await cancel.count()).toBe(1)
  await cancel.click()
  await button('Cancel the invitation').last().click()
  await ada.page.getByText('No invitation is open.').waitFor()
})

test('a declined payment says that nothing was paid with a card', async () => {
  const { status } = await world.call('POST', '/v1/payment-proxy/transactions/authorize', {
    business_unit_id: world.tenant.business_unit_id,
    currency: 'EUR',
    amount: 1_999,
    payment_details: { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_insufficient_funds' },
  })
  expect(status).toBe(402)
  await open('/transactions')
  await ada.page.getByText('nothing: declined').waitFor()
  await ada.page.getByRole('link', { name: '19.99 EUR' }).click()
  await ada.page.getByText('insufficient_funds').first().waitFor()
  expect(await ada.page.getByText('nothing: declined').count()).toBe(1)
})

test('the documentation is one click away, and each page leads to its guide', async () => {
  await open('/subscriptions')
  for (const name of ['Documentation', 'Guide: Webhooks']) {
    await ada.page.getByRole('link', { name }).first().click()
    await ada.page.waitForURL(/\/docs(\/webhooks)?$/)
    await ada.page.getByRole('heading', { level: 1 }).waitFor()
    await ada.page.goBack()
    await ada.page.getByRole('heading', { name: 'Subscriptions', level: 1 }).waitFor()
  }
  expect(ada.faults).toEqual([])
})

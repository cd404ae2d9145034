/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type ConsoleWorld, openConsoleWorld, type SignedIn, signInAgain } from './world.ts'

/** A business unit and its payment providers in the console. Each test needs the previous ones. */
let world: ConsoleWorld
let ada: SignedIn
let provider: Receiver
const secret = `a-secret-of-${crypto.randomUUID()}`

beforeAll(async () => {
  provider = await receiver()
  world = await openConsoleWorld(sharedPlatform())
  ada = await world.signIn('ada', { minutesAgo: 10 })
}, 300_000)
afterAll(async () => {
  await world?.stop()
  await provider?.close()
})

test('a business unit is created, and a wrong field is named at the field', async () => {
  const { page } = ada
  await page.getByRole('link', { name: 'Business units' }).click()
  await page.getByRole('button', { name: 'Create business unit' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Harbour kiosk')
  await page.getByLabel('Time zone').fill('Europe/Lisbon')
  await page.getByLabel('Default currency').fill('eux')
  await page.getByRole('dialog').getByRole('button', { name: 'Create business unit' }).click()
  await page.getByText(/must be an ISO 4217 code/).waitFor()
  await page.getByLabel('Default currency').fill('eur')
  await page.getByRole('dialog').getByRole('button', { name: 'Create business unit' }).click()
  await page.getByRole('heading', { name: 'Harbour kiosk', level: 1 }).waitFor()
  await page.getByText('The unit takes no payments yet.').waitFor()
  expect(new URL(page.url()).pathname).toMatch(/^\/console\/units\/[0-9a-f-]{36}$/)
}, 240_000)

test('a provider is connected after a fresh sign-in, and its credentials are never shown', async () => {
  const { page } = ada
  await page.getByRole('button', { name: 'Create payment orchestrator' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('Adapter')
  await dialog.getByLabel('Payment provider').selectOption('http')
  await dialog.getByLabel('Gateway URL').fill(provider.url)
  await dialog.getByLabel('Protocol of the adapter').selectOption('2')
  await dialog.getByLabel('Key id').fill('key-1')
  await dialog.getByLabel('Secret', { exact: true }).fill(secret)
  await dialog.getByRole('button', { name: 'Create payment orchestrator' }).click()
  await signInAgain(ada, /Confirm at the sign-in provider/, 'ada')
  await page.getByRole('article', { name: 'Adapter' }).getByText('default').waitFor()
  await page.getByRole('article', { name: 'Adapter' }).getByText('version 2').waitFor()
  expect(await page.getByTitle('Fingerprint').innerText()).toMatch(/^[0-9a-f]{32}$/)
  expect(await page.content()).not.toContain(secret)
}, 240_000)

test('a payment orchestrator is limited to a payment method and to currencies, and a wrong code is named at its field', async () => {
  const { page } = ada
  const card = page.getByRole('article', { name: 'Adapter' })
  await card.getByText('every payment method in every currency').waitFor()
  await card.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Cards').check()
  await dialog.getByLabel('Currencies').fill('eur usx')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText(/ISO 4217/).waitFor()
  expect(await dialog.getByLabel('Currencies').getAttribute('aria-invalid')).toBe('true')
  await dialog.getByLabel('Currencies').fill('eur, usd')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await card.getByText('Cards in EUR, USD').waitFor()
  const { body } = await world.call('GET', await adapterPath())
  const settings = { protocol_version: 2 }
  expect(body).toMatchObject({ payment_methods: ['CREDIT_CARD'], currencies: ['EUR', 'USD'], settings })
}, 240_000)

test('a form sends no setting that another person has changed meanwhile', async () => {
  const { page } = ada
  const card = page.getByRole('article', { name: 'Adapter' })
  await card.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  const path = await adapterPath()
  const changed = await world.call('PATCH', path, { settings: { protocol_version: 1 } })
  expect(changed.body).toMatchObject({ settings: { protocol_version: 1 } })
  // The person returns to the tab, which reads the unit again.
  await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)
  await dialog.getByText('This was changed while you edited it.').waitFor()
  await dialog.getByLabel('Currencies').fill('eur')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { body } = await world.call('GET', path)
  expect(body).toMatchObject({ currencies: ['EUR'], settings: { protocol_version: 1 } })
}, 240_000)

/** Of the payment orchestrator of the unit that the tests have created. */
async function adapterPath(): Promise<string> {
  const { body: units } = await world.call('GET', '/v1/business-unit/business-units?status=active')
  const unit = units.data.find(({ name }: { name: string }) => name === 'Harbour kiosk')
  const path = `/v1/business-unit/business-units/${unit.id}/payment-orchestrators`
  const { body } = await world.call('GET', path)
  return `${path}/${body.data[0].id}`
}

test('a check calls the provider once, and shows its result in place', async () => {
  const { page } = ada
  provider.respondWith(() => ({ status: 401, body: '{}' }))
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('The payment provider rejected the credentials').waitFor()
  provider.respondWith(() => ({ status: 200, body: '{"operations": [], "next": null}' }))
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('The payment provider accepted the credentials.').waitFor()
  expect(provider.received).toHaveLength(2)
}, 240_000)

test('Stripe is connected with its two keys, and a publishable key of the other mode is named at its field', async () => {
  const { page } = ada
  await page.getByRole('button', { name: 'Create payment orchestrator' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('Cards')
  await dialog.getByLabel('Payment provider').selectOption('http')
  await dialog.getByLabel('Gateway URL').fill('http://127.0.0.1:9/adapter')
  await dialog.getByLabel('Payment provider').selectOption('stripe')
  expect(await dialog.getByLabel('Gateway URL').inputValue()).toBe('')
  await dialog.getByLabel('Secret key').fill('sk_test_console1')
  await dialog.getByLabel('Publishable key').fill('pk_live_console1')
  await dialog.getByRole('button', { name: 'Create payment orchestrator' }).click()
  await dialog.getByText('must be a key of the mode test').waitFor()
  expect(await dialog.getByLabel('Publishable key').getAttribute('aria-invalid')).toBe('true')
  await dialog.getByLabel('Publishable key').fill('pk_test_console1')
  await dialog.getByRole('button', { name: 'Create payment orchestrator' }).click()
  const card = page.getByRole('article', { name: 'Cards' })
  await card.getByRole('button', { name: 'Edit' }).click()
  expect(await dialog.getByLabel('Publishable key').inputValue()).toBe('pk_test_console1')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
}, 240_000)

test('a form changes only the fields that were changed in it, whatever another person has changed meanwhile', async () => {
  const { page } = ada
  const id = new URL(page.url()).pathname.split('/').at(-1)
  const path = `/v1/business-unit/business-units/${id}`
  await page.locator('main header').getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Colour of buttons').fill('#102030')
  const branding = { support_email: 'help@harbour.example' }
  await world.call('PATCH', path, { default_currency: 'CHF', branding })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { body } = await world.call('GET', path)
  expect(body).toMatchObject({ default_currency: 'CHF', branding: { ...branding, primary_color: '#102030' } })
}, 240_000)

test('another unit brings its currency to the form of an invitation, and what was typed stays', async () => {
  const { page } = ada
  const { body } = await world.call('GET', '/v1/business-unit/business-units?status=active')
  const other = body.data.find(({ name }: { name: string }) => name !== 'Harbour kiosk')
  await world.call('PATCH', `/v1/business-unit/business-units/${other.id}`, { default_currency: 'JPY' })
  await page.goto(`${world.platform.gatewayUrl}/console/invitations/new`)
  const units = page.getByLabel('Business unit')
  const currency = page.getByLabel('Currency')
  await units.selectOption({ label: 'Harbour kiosk' })
  await page.getByLabel('Amount').fill('15')
  expect(await currency.inputValue()).toBe('CHF')
  await units.selectOption(other.id)
  expect([await currency.inputValue(), await page.getByLabel('Amount').inputValue()]).toEqual(['JPY', '15'])
}, 240_000)

test('a form stays one of its business unit, whatever units others create and delete meanwhile', async () => {
  const { page } = ada
  const path = '/v1/business-unit/business-units'
  const create = (name: string) => world.call('POST', path, { name, timezone_name: 'UTC', default_currency: 'EUR' })
  const { body: popUp } = await create('Pop-up')
  const sandbox = { name: 'Sandbox', payment_gateway: 'sandbox', mode: 'test' }
  expect((await world.call('POST', `${path}/${popUp.id}/payment-orchestrators`, sandbox)).status).toBe(201)
  await page.evaluate('localStorage.clear()')
  await page.goto(`${world.platform.gatewayUrl}/console/invitations/new`)
  const units = page.getByLabel('Business unit')
  const fill = async (recipient: string) => {
    await page.getByLabel('Amount').fill('77')
    await page.getByLabel('Email address').fill(recipient)
    await page.getByRole('button', { name: 'Send invitation' }).click()
  }
  await units.waitFor()
  expect(await units.inputValue()).toBe(popUp.id)
  await create('Brand new')
  await page.reload()
  await units.getByRole('option', { name: 'Brand new' }).waitFor({ state: 'attached' })
  expect(await units.inputValue()).toBe(popUp.id)
  await create('Newest')
  await fill('first@units.example')
  await units.getByRole('option', { name: 'Newest' }).waitFor({ state: 'attached' })
  await page.getByText('The message of Pop-up is on its way.').waitFor()
  expect(await units.inputValue()).toBe(popUp.id)
  await page.getByRole('button', { name: 'Invite another payer' }).click()
  expect((await world.call('DELETE', `${path}/${popUp.id}`)).status).toBeLessThan(300)
  await fill('second@units.example')
  await page.getByText('The business unit “Pop-up” was deleted.').waitFor()
  expect([await units.inputValue(), await page.getByLabel('Amount').inputValue()]).toEqual([popUp.id, '77'])
  const { body: codes } = await world.call('GET', '/v1/invite-to-pay/codes')
  const toUnit = ({ recipient, business_unit_id }: Record<string, string>) => [recipient, business_unit_id]
  expect(codes.data.map(toUnit)).toEqual([['first@units.example', popUp.id]])
}, 240_000)

test('no request was refused, no script failed, and nothing came from elsewhere', () => {
  expect(ada.faults).toEqual([])
})

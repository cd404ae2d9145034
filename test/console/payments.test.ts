/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { withClient } from '@payments/devkit/servers/databases'
import { receiver } from '@payments/testing/peers/receiver'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type ConsoleWorld, openConsoleWorld, type SignedIn, signInAgain, tabTo } from './world.ts'

/** A payment whose response is lost, and refunds, in the console. Each test needs the previous ones. */
let world: ConsoleWorld
let ada: SignedIn

beforeAll(async () => {
  world = await openConsoleWorld(sharedPlatform())
  ada = await world.signIn('ada', { minutesAgo: 10 })
}, 300_000)
afterAll(() => world?.stop())

const pay = async (token: string, reference: string, capture = true) => {
  const { status, body } = await world.call(
    'POST',
    '/v1/payment-proxy/transactions/authorize',
    {
      business_unit_id: world.tenant.business_unit_id,
      currency: 'EUR',
      amount: 1_999,
      external_reference: reference,
      capture,
      payment_details: { payment_method: 'CREDIT_CARD', cc_token: token },
      return_url: 'https://shop.example/return',
    },
    { 'idempotency-key': crypto.randomUUID() },
  )
  return { status, body }
}

const rows = () => ada.page.getByRole('table', { name: 'Transactions' }).getByRole('link')

test('a payment with a lost response is shown as unknown, and resolves on the screen without a reload', async () => {
  const { page } = ada
  expect(await pay('tok_sandbox_timeout_applied', 'order-lost')).toMatchObject({ status: 202 })
  await page.getByRole('link', { name: 'Transactions', exact: true }).click()
  await rows().first().click()
  await page.getByText('unknown', { exact: true }).first().waitFor()
  await page.getByText(/gave no response, or one that contradicts the request/).waitFor()
  await page.getByText('captured', { exact: true }).first().waitFor()
  expect(await page.getByText('unknown', { exact: true }).count()).toBe(0)
}, 240_000)

test('the time line has the request, its operations and its events', async () => {
  const { page } = ada
  const line = page.getByRole('region', { name: 'Time line' })
  await line.getByRole('link', { name: 'createAndAuthorizeTransaction' }).waitFor()
  await line.getByRole('link', { name: 'payment-proxy.transactions.authorize.and.capture' }).waitFor()
  expect(await line.getByRole('link', { name: 'capture', exact: true }).count()).toBe(1)
}, 240_000)

test('a refund above the refundable amount is rejected at its field, and a part is refunded by keyboard', async () => {
  const { page } = ada
  await tabTo(page, 'button', 'Refund')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Refund to the payer' }).waitFor()
  const amount = page.getByLabel('Amount to refund in EUR')
  const after = page.getByRole('region', { name: 'After this refund' })
  expect(await after.innerText()).toMatch(/Refunded\s+19\.99 EUR\s+Still refundable\s+0\.00 EUR/)
  await amount.fill('20')
  await page.getByText('must be at most 19.99').waitFor()
  expect(await after.count()).toBe(0)
  await page.getByRole('dialog').getByRole('button', { name: 'Refund' }).click()
  await page.getByText('At most 19.99 EUR can be refunded').waitFor()
  expect(await amount.getAttribute('aria-invalid')).toBe('true')
  expect(await amount.evaluate((field) => field === document.activeElement)).toBe(true)
  await amount.fill('5.000')
  await page.getByText('can be read in two ways: write 5000.00 or 5.00').waitFor()
  expect(await page.getByRole('dialog').getByRole('button', { name: 'Refund' }).isDisabled()).toBe(true)
  await amount.fill('5,00')
  await page.getByText('That is 5.00 EUR.').waitFor()
  expect(await after.innerText()).toMatch(/Refunded\s+5\.00 EUR\s+Still refundable\s+14\.99 EUR/)
  await page.getByRole('button', { name: 'Refund 5.00 EUR' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('partially refunded', { exact: true }).first().waitFor()
  expect(await page.getByText('5.00 EUR').count()).toBeGreaterThan(0)
}, 240_000)

test('two presses before the page changes are one refund, and its form stays until the end is known', async () => {
  const { page } = ada
  const { body } = await pay('tok_sandbox_visa', 'order-twice', true)
  const path = `/v1/payment-proxy/transactions/${body.id}`
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  let requests = 0
  await page.route(`**${path}/refund`, async (route) => {
    requests += 1
    await isReleased
    await route.continue()
  })
  await page.goto(`${world.platform.gatewayUrl}/console/transactions/${body.id}`)
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  await page.getByLabel('Amount to refund in EUR').fill('5')
  const dialog = page.getByRole('dialog')
  await dialog.locator('form').evaluate((form: HTMLFormElement) => {
    form.requestSubmit()
    form.requestSubmit()
  })
  await dialog.getByText('One moment').waitFor()
  await page.getByLabel('Amount to refund in EUR').fill('7')
  for (let press = 0; press < 3; press += 1) await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Cancel' }).dispatchEvent('click')
  await dialog.getByText('One moment').waitFor()
  release()
  await dialog.waitFor({ state: 'detached' })
  await page.unroute(`**${path}/refund`)
  const { body: refunded } = await world.call('GET', path)
  expect([requests, refunded.amount_refunded, refunded.pending_operation]).toEqual([1, 500, null])
}, 240_000)

test('after a lost response and a rejection of the next attempt, a third press is still one refund', async () => {
  const { page } = ada
  const { body } = await pay('tok_sandbox_visa', 'order-third-press', true)
  const path = `/v1/payment-proxy/transactions/${body.id}`
  await page.goto(`${world.platform.gatewayUrl}/console/transactions/${body.id}`)
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  await page.getByLabel('Amount to refund in EUR').fill('5')
  const dialog = page.getByRole('dialog')
  const press = () => dialog.getByRole('button', { name: 'Refund 5.00 EUR' }).click()
  await page.route(`**${path}/refund`, async (route) => {
    await route.fetch()
    await route.abort()
  })
  await press()
  await dialog.getByText('It may have taken effect').waitFor()
  await page.unroute(`**${path}/refund`)
  const marker = 'x-console'
  await page.route(`**${path}/refund`, (route) =>
    route.continue({ headers: { ...route.request().headers(), [marker]: '' } }),
  )
  await press()
  await dialog.getByText('An earlier attempt may have taken effect').waitFor()
  await page.unroute(`**${path}/refund`)
  await press()
  await dialog.waitFor({ state: 'detached' })
  const { body: refunded } = await world.call('GET', path)
  expect([refunded.amount_refunded, refunded.pending_operation]).toEqual([500, null])
}, 240_000)

test('a form that moves money is not sent with amounts that another person has changed', async () => {
  const { page } = ada
  const { body } = await pay('tok_sandbox_visa', 'order-two-people', true)
  const path = `/v1/payment-proxy/transactions/${body.id}`
  await page.goto(`${world.platform.gatewayUrl}/console/transactions/${body.id}`)
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  await page.getByLabel('Amount to refund in EUR').fill('5')
  const dialog = page.getByRole('dialog')
  const press = () => dialog.getByRole('button', { name: 'Refund 5.00 EUR' }).click()
  expect((await world.call('POST', `${path}/refund`, { amount: 500 })).status).toBe(200)
  await press()
  await dialog.getByText('The transaction has changed, so nothing was sent.').waitFor()
  await dialog.getByText('This transaction has changed since the form opened.').waitFor()
  const after = dialog.getByRole('region', { name: 'After this refund' })
  await after.getByText('9.99 EUR').waitFor()
  expect((await world.call('GET', path)).body.amount_refunded).toBe(500)
  await press()
  await dialog.waitFor({ state: 'detached' })
  expect((await world.call('GET', path)).body.amount_refunded).toBe(1_000)
}, 240_000)

test('a payment that waits for the payer is on Home, and is voided', async () => {
  const { page } = ada
  const { body } = await pay('tok_sandbox_challenge', 'order-undecided')
  expect(body.pending_operation.state).toBe('action_required')
  await page.goto(`${world.platform.gatewayUrl}/console`)
  const card = page.getByRole('region', { name: 'Payments without an outcome' })
  await card.getByRole('link', { name: 'order-undecided' }).click()
  await page.getByRole('button', { name: 'Void', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Void', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText('voided', { exact: true }).first().waitFor()
  const { body: read } = await world.call('GET', `/v1/payment-proxy/transactions/${body.id}`)
  expect([read.status, read.pending_operation]).toEqual(['voided', null])
}, 240_000)

test('a part is captured, after the form has shown what it captures and what it releases', async () => {
  const { page } = ada
  const { body } = await pay('tok_sandbox_visa', 'order-held', false)
  await page.goto(`${world.platform.gatewayUrl}/console/transactions/${body.id}`)
  await page.getByRole('button', { name: 'Capture', exact: true }).click()
  await page.getByRole('heading', { name: 'Capture from the payer' }).waitFor()
  const release = page.getByLabel('Release the rest of the authorized amount')
  expect(await release.count()).toBe(0)
  await page.getByLabel('Amount to capture in EUR').fill('15')
  const after = page.getByRole('region', { name: 'After this capture' })
  expect(await after.innerText()).toMatch(/Captured\s+15\.00 EUR\s+Still capturable\s+4\.99 EUR$/)
  await release.check()
  expect(await after.innerText()).toMatch(/Still capturable\s+0\.00 EUR\s+Released\s+4\.99 EUR$/)
  await page.getByRole('button', { name: 'Capture 15.00 EUR' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const read = await world.call('GET', `/v1/payment-proxy/transactions/${body.id}`)
  expect(read.body).toMatchObject({ amount_captured: 1_500, amount_voided: 499, amount_capturable: 0 })
}, 240_000)

test('a transaction is found by its reference, and the filter is in the URL', async () => {
  const { page } = ada
  await pay('tok_sandbox_visa', 'order-other')
  await page.getByRole('link', { name: 'Home' }).click()
  const card = page.getByRole('region', { name: 'Payments, last 24 hours' })
  await card.getByRole('link', { name: 'All transactions' }).click()
  await page.getByLabel('Reference or id').fill('order-l')
  await page.keyboard.press('Enter')
  await page.getByText('order-other').waitFor({ state: 'detached' })
  await page.getByText('order-lost').waitFor()
  expect(await rows().count()).toBe(1)
  expect(new URL(page.url()).searchParams.get('search')).toBe('order-l')
}, 240_000)

test('the message of an invitation to pay is in the time line of its transaction', async () => {
  const { page } = ada
  const { status, body } = await world.call('POST', '/v1/payment-proxy/transactions', {
    business_unit_id: world.tenant.business_unit_id,
    currency: 'EUR',
    amount: 700,
    i2p: true,
    invitation: { communication_type: 'EMAIL', recipient: 'payer@payments.example' },
  })
  expect(status).toBe(201)
  await page.goto(`${world.platform.gatewayUrl}/console/transactions/${body.id}`)
  const line = page.getByRole('region', { name: 'Time line' })
  await line.getByRole('link', { name: 'communication.communications.send' }).waitFor()
  expect(await line.getByRole('listitem').filter({ hasText: 'message' }).count()).toBe(1)
}, 240_000)

test('the time line leads to the endpoint of each delivery, and the details lead to the business unit', async () => {
  const { page } = ada
  const shop = await receiver()
  try {
    const path = `/v1/webhooks/${world.tenant.business_unit_id}/webhooks`
    const subscription = { label: 'Order system', destination_url: shop.url, event_types: ['payment-proxy.*'] }
    expect((await world.call('POST', path, subscription)).status).toBe(201)
    const { body } = await pay('tok_sandbox_visa', 'order-delivered')
    await shop.waitFor(() => true)
    await page.goto(`${world.platform.gatewayUrl}/console/transactions/${body.id}`)
    const line = page.getByRole('region', { name: 'Time line' })
    const deliveries = line.getByRole('listitem').filter({ hasText: 'delivery' })
    await deliveries
      .first()
      .getByRole('link', { name: new URL(shop.url).host })
      .waitFor()
    await page.getByRole('region', { name: 'Details' }).getByRole('link').click()
    await page.getByRole('heading', { name: 'Payment orchestrators' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/units/${world.tenant.business_unit_id}`)
  } finally {
    await shop.close()
  }
}, 240_000)

test('an operation that has been unknown for a day is found, and its outcome is set after a fresh sign-in', async () => {
  const { page } = ada
  const { body } = await pay('tok_sandbox_unknown_forever', 'order-forever')
  await withClient(world.platform.databases['payment-proxy'].ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    await owner.query(`UPDATE operations SET created_at = now() - interval '25 h' WHERE transaction_id = $1`, [body.id])
  })
  await page.getByRole('link', { name: 'Transactions', exact: true }).click()
  await page.getByLabel('Open operation').selectOption('needs_review')
  await rows().first().click()
  await page.getByRole('button', { name: 'Set the outcome' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Outcome at the provider').selectOption('declined')
  await dialog.getByLabel('Note').fill('Not in the settlement report')
  await dialog.getByRole('button', { name: 'Set the outcome' }).click()
  await signInAgain(ada, /Confirm at the sign-in provider/, 'ada')
  await page.getByText('failed', { exact: true }).first().waitFor()
  await page.getByText(/Not in the settlement report/).waitFor()
  expect(await page.getByRole('button', { name: 'Set the outcome' }).count()).toBe(0)
}, 240_000)

test('a person who may read transactions alone sees a shorter time line, and no request is refused', async () => {
  await world.call('POST', '/v1/rbac/roles', { name: 'payments only', permissions: ['transaction:ReadTransaction'] })
  const { body } = await world.call('GET', '/v1/payment-proxy/transactions?search=order-lost')
  const viv = await world.signIn('viv', { roleName: 'payments only' })
  await viv.page.goto(`${world.platform.gatewayUrl}/console/transactions/${body.data[0].id}`)
  await viv.page.getByText(/^Your roles do not permit/).waitFor()
  const refund = viv.page.getByRole('button', { name: /Refund/ })
  expect(await refund.getAttribute('title')).toBe('needs transaction:RefundTransaction')
  await viv.page.waitForLoadState('networkidle')
  expect(viv.faults).toEqual([])
}, 240_000)

test('a transaction that does not exist is named once, in the title', async () => {
  const { page } = ada
  await page.goto(`${world.platform.gatewayUrl}/console/transactions/${crypto.randomUUID()}`)
  await page.getByText('This does not exist, or was deleted.').waitFor()
  expect(await page.getByText('Transaction', { exact: true }).count()).toBe(1)
}, 240_000)

test('no request was refused, no script failed, and nothing came from elsewhere', () => {
  expect(ada.faults).toEqual([])
})

/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Browser, openBrowser } from '@payments/testing/peers/browser'
import { receiver } from '@payments/testing/peers/receiver'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { stripeScript } from '../services/invite-to-pay/src/card-page/render.ts'
import { serveStripe } from '../services/invite-to-pay/test/stripe-js.ts'
import { stripeVersion } from '../services/payment-proxy/src/connectors/stripe/api.ts'
import { startStripe } from '../services/payment-proxy/test/stripe-stand-in/server.ts'
import { type Call, createCaller, type Onboarded, onboard } from './tenant.ts'
import { until } from './until.ts'

/**
 * The card page, end to end: a tenant with keys of Stripe and without its own page sends a link, and a payer pays it
 * with a card in a real browser. Stripe is a script in the browser, at its own addresses, and a server for the
 * connector.
 */
const platform = sharedPlatform()
let browser: Browser
let stripe: Awaited<ReturnType<typeof startStripe>>
let tenant: Onboarded
let call: Call
let orchestratorId: string
let account: ReturnType<typeof stripe.account>

beforeAll(async () => {
  browser = await openBrowser()
  stripe = await startStripe()
  account = stripe.account()
  tenant = await onboard(platform, 'Berlin Coffee')
  call = createCaller(platform, tenant.api_key.value, tenant.tenant_id)
  const created = await call('POST', orchestratorsPath(), {
    name: 'Stripe',
    payment_gateway: 'stripe',
    mode: 'test',
    gateway_url: stripe.url,
    gateway_authentication: { secret_key: account.key },
    settings: { publishable_key: publishableKey },
  })
  expect([created.status, created.body.code]).toEqual([201, undefined])
  orchestratorId = created.body.id
}, 240_000)

afterAll(async () => {
  await browser?.close()
  await stripe?.close()
}, 120_000)

const publishableKey = 'pk_test_51HxAbCd'
const orchestratorsPath = () => `/v1/business-unit/business-units/${tenant.business_unit_id}/payment-orchestrators`

async function createCode(payment_orchestrator_id = orchestratorId) {
  const transaction = {
    payment_orchestrator_id,
    transaction_items: [{ name: 'Coffee beans, 1 kg', unit_amount: 1999, quantity: 2 }],
  }
  const created = await call('POST', '/v1/invite-to-pay/codes', {
    transaction: { business_unit_id: tenant.business_unit_id, currency: 'EUR', transaction },
    communication_type: 'EMAIL',
    recipient: 'payer@card-page.example',
    capture: true,
  })
  expect([created.status, created.body.code]).toEqual([201, undefined])
  return created.body
}

async function openLink(url: string) {
  const context = await browser.newContext({ locale: 'en-GB' })
  const inBrowser = await serveStripe(context)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  await page.goto(url)
  const card = page.frameLocator('#card-page')
  return {
    page,
    inBrowser,
    complaints,
    pay: async () => {
      await card.locator('#pay:enabled').waitFor()
      await card.frameLocator('iframe').getByLabel('Card number').fill('4242424242424242')
      await card.locator('#pay').click()
    },
    close: () => context.close(),
  }
}

test('the script and the connector have the same release of Stripe', () => {
  expect(stripeScript).toBe(`https://js.stripe.com/${stripeVersion.split('.')[1]}/stripe.js`)
})

test('a link of a Stripe account is paid without a page of the merchant, and no card number reaches the platform', async () => {
  const code = await createCode()
  const { page, inBrowser, complaints, pay, close } = await openLink(code.url)
  await pay()
  await page.getByRole('heading', { level: 1, name: 'Payment complete' }).waitFor({ timeout: 60_000 })
  const { body: transaction } = await call('GET', `/v1/payment-proxy/transactions/${code.transaction_id}`)
  expect(transaction).toMatchObject({ status: 'captured', payment_orchestrator_id: orchestratorId })
  const confirmed = stripe.calls.find(({ method, path }) => method === 'POST' && path === '/v1/payment_intents')
  expect(new URLSearchParams(confirmed?.body).get('payment_method')).toBe('pm_card_visa')
  expect(inBrowser.created.map((body) => body.get('key'))).toEqual([publishableKey])
  const cardOrigin = new URL(platform.gatewayUrl.replace('127.0.0.1', 'localhost')).origin
  expect([...inBrowser.others].sort()).toEqual([platform.gatewayUrl, cardOrigin].sort())
  expect(complaints).toEqual([])
  await close()
}, 180_000)

test('after a decline the payer enters another card on the same link', async () => {
  const code = await createCode()
  const { page, inBrowser, pay, close } = await openLink(code.url)
  inBrowser.paymentMethod = 'pm_card_declined_insufficient_funds'
  await pay()
  await page.getByText('too little money').waitFor({ timeout: 60_000 })
  inBrowser.paymentMethod = 'pm_card_visa'
  await pay()
  await page.getByRole('heading', { level: 1, name: 'Payment complete' }).waitFor({ timeout: 60_000 })
  const readStatus = async () => (await call('GET', `/v1/invite-to-pay/codes/${code.id}`)).body.status
  await until('completed code', async () => (await readStatus()) === 'completed')
  expect(account.account.tokens.size).toBeGreaterThan(0)
  await close()
}, 180_000)

test('a card page of a sandbox is framed, so that its token pays the link', async () => {
  const cardPage = await receiver()
  const script = `parent.postMessage({ type: 'payment_token', token: 'tok_sandbox_visa' }, '*')`
  const body = `<!doctype html><html lang="en"><title>Card</title><button onclick="${script}">Pay by test card</button>`
  cardPage.respondWith(() => ({ status: 200, headers: { 'content-type': 'text/html' }, body }))
  try {
    const draft = { name: 'Sandbox with a page', payment_gateway: 'sandbox', mode: 'test', iframe_url: cardPage.url }
    const { status, body: orchestrator } = await call('POST', orchestratorsPath(), draft)
    expect([status, orchestrator.code]).toEqual([201, undefined])
    const code = await createCode(orchestrator.id)
    const { page, complaints, close } = await openLink(code.url)
    expect(await page.getByText('Other test cards').count()).toBe(0)
    await page.frameLocator('#card-page').getByRole('button', { name: 'Pay by test card' }).click()
    await page.getByRole('heading', { level: 1, name: 'Payment complete' }).waitFor({ timeout: 60_000 })
    expect(complaints).toEqual([])
    await close()
  } finally {
    await cardPage.close()
  }
}, 180_000)

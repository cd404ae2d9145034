/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { accessibilityViolations, type Browser, openBrowser, type Page } from '@payments/testing/peers/browser'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { createInvitations, eventually, type Invitations } from './invitations.ts'
import { type Call, createCaller, type Onboarded, onboard } from './tenant.ts'

/**
 * Payments by a link that the payer confirms at their bank, end to end, in a real browser of a phone: each way to the
 * bank and back ends paid once, or not at all, and the page says which.
 */
const platform = sharedPlatform()
let browser: Browser
let tenant: Onboarded
let call: Call
let invitations: Invitations

beforeAll(async () => {
  browser = await openBrowser()
  tenant = await onboard(platform, 'Berlin Coffee')
  call = createCaller(platform, tenant.api_key.value, tenant.tenant_id)
  invitations = createInvitations(platform, tenant, call)
}, 240_000)

afterAll(() => browser?.close(), 120_000)

const complaints: string[] = []

async function open(url: string, { javaScriptEnabled = true, locale = 'en-GB' } = {}): Promise<Page> {
  const viewport = { width: 360, height: 740 }
  const context = await browser.newContext({ viewport, locale, javaScriptEnabled, timezoneId: 'Europe/Vienna' })
  const page = await context.newPage()
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.setDefaultTimeout(60_000)
  await page.goto(url)
  return page
}

/** Submits the form of a test card. The last page is the bank's, or ours. */
async function pay(page: Page, token = 'challenge'): Promise<void> {
  for (const details of await page.locator('section details').all()) {
    await details.evaluate((one) => one.setAttribute('open', ''))
  }
  await page.locator(`button[value="tok_sandbox_${token}"]`).click()
}

const atBank = (page: Page) => page.waitForURL(/\/pay\/sandbox-bank\//)
const decide = (page: Page, button: 'Confirm' | 'Decline') =>
  page.getByRole('button', { name: button, exact: true }).click()
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
const state = (page: Page, name: string) => page.locator(`html[data-state="${name}"]`).waitFor()

const readLedger = async (transactionId: string): Promise<string[]> => {
  const { body } = await call('GET', `/v1/payment-proxy/sandbox/operations?transaction_id=${transactionId}`)
  return body.data.map(({ type, state: ended }: { type: string; state: string }) => `${type} ${ended}`).sort()
}
const codeBecomes = (id: string, status: string) =>
  eventually(async () => {
    const { body } = await call('GET', `/v1/invite-to-pay/codes/${id}`)
    return body.status === status ? body : undefined
  })

const paidOnce = ['authorize succeeded', 'capture succeeded']

async function expectPaidOnce(code: { id: string; transaction_id: string }): Promise<void> {
  await codeBecomes(code.id, 'completed')
  const { body } = await call('GET', `/v1/payment-proxy/transactions/${code.transaction_id}`)
  expect([body.status, body.amount_captured]).toEqual(['captured', body.amount])
  const ledger = await readLedger(code.transaction_id)
  expect(ledger.filter((operation) => operation.endsWith('succeeded'))).toEqual(paidOnce)
}

async function noViolations(page: Page): Promise<void> {
  expect(await accessibilityViolations(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
}

test('invited in German, confirmed at the bank, receipt in German', async () => {
  const code = await invitations.createCode({
    locale: 'de-AT',
    communication_details: { payer_name: 'Ada Huber', description: 'Bestellung 4711' },
  })
  const link = await invitations.linkFor(code.recipient)
  const [invitation] = await invitations.messagesFor(code.recipient, 1)
  expect(invitation?.text).toContain('Ada Huber')
  expect(invitation?.subject).toMatch(/Zahlung/)

  const page = await open(link)
  expect(await page.locator('html').getAttribute('lang')).toBe('de')
  await page.getByText('Guten Tag Ada Huber').waitFor()
  await noViolations(page)
  await pay(page)
  await atBank(page)
  await noViolations(page)
  await decide(page, 'Confirm')
  await heading(page, 'Zahlung abgeschlossen')
  await noViolations(page)
  await expectPaidOnce(code)

  const [, receipt] = await invitations.messagesFor(code.recipient, 2)
  for (const text of ['Ada Huber', 'Berlin Coffee', 'Coffee beans, 1 kg', '4242', code.transaction_id]) {
    expect(receipt?.text).toContain(text)
  }
  expect(receipt?.text).toMatch(/39,98/)
  expect(receipt?.html).toContain('lang="de-AT"')
  expect(complaints).toEqual([])
  await page.context().close()
}, 240_000)

test('without JavaScript, one more click leads to the bank, and the way back works', async () => {
  const code = await invitations.createCode()
  const page = await open(await invitations.linkFor(code.recipient), { javaScriptEnabled: false })
  await pay(page)
  await heading(page, 'Confirm the payment at your bank')
  await page.getByRole('link', { name: 'Continue to your bank' }).click()
  await atBank(page)
  await decide(page, 'Confirm')
  await heading(page, 'Payment complete')
  await expectPaidOnce(code)
  await page.context().close()
}, 240_000)

test('the button Back of the browser leads from the bank to the page, on which another card pays', async () => {
  const code = await invitations.createCode()
  const page = await open(await invitations.linkFor(code.recipient))
  await pay(page)
  await atBank(page)
  await page.goBack()
  await state(page, 'confirming')
  await noViolations(page)
  await page.getByRole('button', { name: 'Pay in another way' }).click()
  await state(page, 'active')
  await page.getByText('The payment was canceled before it was confirmed.').waitFor()
  await pay(page, 'visa')
  await heading(page, 'Payment complete')
  await expectPaidOnce(code)
  expect(await readLedger(code.transaction_id)).toContain('authorize declined')
  await page.context().close()
}, 240_000)

test('a second tab shows the confirmation, and then the payment, by itself', async () => {
  const code = await invitations.createCode()
  const link = await invitations.linkFor(code.recipient)
  const [first, second] = await Promise.all([open(link), open(link)])
  await pay(first)
  await atBank(first)
  await pay(second)
  await state(second, 'confirming')
  await decide(first, 'Confirm')
  await Promise.all([heading(first, 'Payment complete'), heading(second, 'Payment complete')])
  await expectPaidOnce(code)
  await Promise.all([first, second].map((page) => page.context().close()))
}, 240_000)

test('a tab that is closed after the confirmation leaves a payment', async () => {
  const code = await invitations.createCode()
  const link = await invitations.linkFor(code.recipient)
  const page = await open(link)
  await pay(page)
  await atBank(page)
  // The payer never returns: the way back is cut off.
  await page.route('**/return*', (route) => route.abort())
  await decide(page, 'Confirm')
  await page.context().close()
  await expectPaidOnce(code)
  const later = await open(link)
  await heading(later, 'Payment complete')
  await later.context().close()
}, 240_000)

test('a tab that is closed at the bank leaves a link that another phone continues', async () => {
  const code = await invitations.createCode()
  const link = await invitations.linkFor(code.recipient)
  const phone = await open(link)
  await pay(phone)
  await atBank(phone)
  await phone.context().close()
  const other = await open(link)
  await state(other, 'confirming')
  await other.getByRole('link', { name: 'Continue to your bank' }).click()
  await atBank(other)
  await decide(other, 'Confirm')
  await heading(other, 'Payment complete')
  await expectPaidOnce(code)
  await other.context().close()
}, 240_000)

test('a payment that is declined at the bank leads back to the form, and another card pays', async () => {
  const code = await invitations.createCode()
  const page = await open(await invitations.linkFor(code.recipient))
  await pay(page)
  await atBank(page)
  await decide(page, 'Decline')
  await page.getByText('The payment was not confirmed at your bank.').waitFor()
  await noViolations(page)
  await pay(page, 'visa')
  await heading(page, 'Payment complete')
  await expectPaidOnce(code)
  await page.context().close()
}, 240_000)

test('a payment that the bank reports later shows a payment in progress until then', async () => {
  const code = await invitations.createCode()
  const page = await open(await invitations.linkFor(code.recipient))
  await pay(page, 'challenge_slow_10')
  await atBank(page)
  await decide(page, 'Confirm')
  await heading(page, 'Your payment is in progress')
  await noViolations(page)
  await heading(page, 'Payment complete')
  await expectPaidOnce(code)
  await page.context().close()
}, 240_000)

test('forged returns, of strangers and of other payers, prove nothing', async () => {
  const [code, other] = [await invitations.createCode(), await invitations.createCode()]
  const [link, otherLink] = [await invitations.linkFor(code.recipient), await invitations.linkFor(other.recipient)]
  const page = await open(link)
  await pay(page)
  await atBank(page)
  const returns = [`${link}/return?status=succeeded`, `${otherLink}/return`, `${platform.gatewayUrl}/pay/x/return`]
  const statuses = await Promise.all(returns.map(async (url) => (await fetch(url, { redirect: 'manual' })).status))
  expect(statuses).toEqual([303, 303, 404])
  expect(await readLedger(code.transaction_id)).toEqual(['authorize action_required'])
  expect(await readLedger(other.transaction_id)).toEqual([])
  await decide(page, 'Confirm')
  await heading(page, 'Payment complete')
  await expectPaidOnce(code)
  await page.context().close()
}, 240_000)

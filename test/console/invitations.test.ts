/** @slow It drives Chromium. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { withClient } from '@payments/devkit/servers/databases'
import { accessibilityViolations, type Page } from '@payments/testing/peers/browser'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type ConsoleWorld, openConsoleWorld, type SignedIn, signInAgain, stepMs, tabTo } from './world.ts'

/** An invitation to pay from its form to the payment, live on the screen. Each test needs the previous ones. */
let world: ConsoleWorld
let ada: SignedIn

beforeAll(async () => {
  world = await openConsoleWorld(sharedPlatform())
  ada = await world.signIn('ada', { minutesAgo: 10 })
}, 300_000)
afterAll(() => world?.stop())

const linkForm = /^http:\S+\/pay\/[\w-]+$/

/** The link that the page shows. */
async function shownLink({ page }: SignedIn): Promise<string> {
  const link = page.getByText(linkForm).first()
  await link.waitFor()
  return link.innerText()
}

/** The pay page in the browser of the payer, who has no session. */
async function openAsPayer(link: string): Promise<Page> {
  const page = await (await world.browser.newContext()).newPage()
  page.setDefaultTimeout(stepMs)
  await page.goto(link)
  return page
}

const status = ({ page }: SignedIn, name: string) => page.getByText(name, { exact: true }).first()

describe('with a mouse', () => {
  test('the message is previewed while an invitation is written, and the link is shown once it is sent', async () => {
    const { page } = ada
    await page.getByRole('link', { name: 'Invitations to pay', exact: true }).click()
    await page.getByText('No payer is invited yet.').waitFor()
    await page.getByRole('button', { name: 'Invite to pay' }).click()
    await page.getByLabel('Amount').fill('1234.5')
    await page.getByLabel('Currency').fill('eur')
    await page.getByLabel('Email address').fill('payer@invitations.example')
    await page.getByLabel('Name of the payer').fill('Grace')
    await page.getByLabel('Purpose').fill('Coffee beans')
    const text = page.getByRole('region', { name: 'Text of the message' })
    await text.getByText('requests a payment of €1,234.50').waitFor()
    await text.getByText('For: Coffee beans').waitFor()
    expect(await text.innerText()).toContain('Hello Grace,')
    await page.getByRole('button', { name: 'Send invitation' }).click()
    await page.getByText('Invited payer@invitations.example to pay 1,234.50 EUR.').waitFor()
    expect(await shownLink(ada)).toMatch(linkForm)
    expect(await accessibilityViolations(page)).toEqual([])
  }, 240_000)

  test('a payment is completed on the screen without a reload', async () => {
    const { page } = ada
    const link = await shownLink(ada)
    await page.getByRole('link', { name: 'Open the invitation' }).click()
    await page.getByRole('heading', { name: 'payer@invitations.example', level: 1 }).waitFor()
    await status(ada, 'active').waitFor()
    expect(await page.content()).not.toContain(link)
    const payer = await openAsPayer(link)
    await payer.getByRole('button', { name: /^Pay .* with a test card$/ }).click()
    await payer.getByRole('heading', { name: 'Payment complete' }).waitFor()
    await status(ada, 'completed').waitFor()
    const line = page.getByRole('region', { name: 'Time line' })
    await line.getByText('Authorized', { exact: true }).waitFor()
    await page.getByRole('region', { name: 'Details' }).getByText('captured', { exact: true }).waitFor()
    expect(await line.getByText('Created', { exact: true }).count()).toBe(1)
    expect(await page.getByRole('button', { name: /^(?:Cancel invitation|Reveal the link)$/ }).count()).toBe(0)
  }, 240_000)
})

test('a transaction of the API is paid by an invitation, which a link to the list shows alone', async () => {
  const { page } = ada
  const { body: transaction } = await world.call('POST', '/v1/payment-proxy/transactions', {
    business_unit_id: world.tenant.business_unit_id,
    currency: 'KWD',
    amount: 1_999,
  })
  await page.goto(`${world.platform.gatewayUrl}/console/transactions/${transaction.id}`)
  await page.getByRole('button', { name: 'Invite to pay' }).click()
  await page.getByText('To pay 1.999 KWD').waitFor()
  expect(await page.getByLabel('Amount').count()).toBe(0)
  await page.getByLabel('Channel').selectOption('SMS')
  await page.getByLabel('Phone number').fill('+4930123456')
  await page.getByRole('region', { name: 'Text of the message' }).getByText('requests a payment of KWD 1.999').waitFor()
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText('Invited +4930123456 to pay 1.999 KWD.').waitFor()
  await page.goto(`${world.platform.gatewayUrl}/console/transactions/${transaction.id}`)
  await page.getByRole('link', { name: 'Invitations to pay this transaction' }).click()
  await page.getByRole('link', { name: '+4930123456' }).waitFor()
  const payers = page.getByRole('table', { name: 'Invitations to pay' }).getByRole('link')
  expect(await payers.allInnerTexts()).toEqual(['+4930123456'])
  await page.getByRole('button', { name: /^transaction_id/ }).click()
  await page.getByRole('link', { name: 'payer@invitations.example' }).waitFor()
}, 240_000)

test('an invitation is sent again a minute later, and not before', async () => {
  const { page } = ada
  await page.getByRole('link', { name: '+4930123456' }).click()
  const sendAgain = page.getByRole('button', { name: 'Send again' })
  await sendAgain.click()
  await page.getByText(/was sent less than a minute ago/).waitFor()
  await withClient(world.platform.databases['invite-to-pay'].ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    const earlier = `UPDATE codes SET invited_at = invited_at - interval '2 minutes' WHERE tenant_id = $1`
    await owner.query(earlier, [world.tenant.tenant_id])
  })
  await sendAgain.click()
  await page.getByText('Sent again to +4930123456.').waitFor()
  const line = page.getByRole('region', { name: 'Time line' })
  await line.getByText('Sent again', { exact: true }).waitFor()
  const { body } = await world.call('GET', '/v1/invite-to-pay/codes?recipient=%2B4930123456')
  expect(body.data).toMatchObject([{ resend_count: 1 }])
}, 240_000)

test('a change by another person is shown in the form of the invitation, and stays', async () => {
  const { page } = ada
  const path = page.url().replace(/.*\/invitations\//, '/v1/invite-to-pay/codes/')
  await page.getByRole('button', { name: 'Change' }).click()
  const form = page.getByRole('dialog')
  await page.getByLabel('Purpose').fill('Espresso')
  const details = { payer_name: 'Grace' }
  expect((await world.call('PATCH', path, { communication_details: details })).status).toBe(200)
  await form.getByText('This was changed while you edited it.').waitFor()
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'detached' })
  const { body: changed } = await world.call('GET', path)
  expect(changed.communication_details).toEqual({ ...details, description: 'Espresso' })
}, 240_000)

describe('with the keyboard', () => {
  test('an amount that the currency cannot have is named at its field, and nothing is sent', async () => {
    const { page } = ada
    await tabTo(page, 'link', 'Invitations to pay')
    await page.keyboard.press('Enter')
    await tabTo(page, 'button', 'Invite to pay')
    await page.keyboard.press('Enter')
    await tabTo(page, 'textbox', 'Amount')
    await page.keyboard.type('10.505')
    await page.getByText(/can be read in two ways: write 10505.00 or 10.50/).waitFor()
    await tabTo(page, 'textbox', 'Email address')
    await page.keyboard.type('second@invitations.example')
    await page.keyboard.press('Enter')
    expect(await page.getByLabel('Amount').getAttribute('aria-invalid')).toBe('true')
    expect((await world.call('GET', '/v1/invite-to-pay/codes')).body.data).toHaveLength(2)
  }, 120_000)

  test('a payer is invited, the invitation is changed, and its link is revealed after a fresh sign-in', async () => {
    const { page } = ada
    await tabTo(page, 'textbox', 'Amount')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('10.50')
    await page.keyboard.press('Enter')
    await page.getByText('Invited second@invitations.example to pay 10.50 EUR.').waitFor()
    await tabTo(page, 'link', 'Open the invitation')
    await page.keyboard.press('Enter')
    await tabTo(page, 'button', 'Change')
    await page.keyboard.press('Enter')
    await tabTo(page, 'textbox', 'Purpose')
    expect(await accessibilityViolations(page)).toEqual([])
    await page.keyboard.type('Espresso')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('Espresso').waitFor()
    await tabTo(page, 'button', 'Change')
    await page.keyboard.press('Enter')
    await tabTo(page, 'textbox', 'Name of the payer')
    await page.keyboard.type('Grace')
    await tabTo(page, 'textbox', 'Purpose')
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Delete')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const { body: changed } = await world.call(
      'GET',
      page.url().replace(/.*\/invitations\//, '/v1/invite-to-pay/codes/'),
    )
    expect(changed.communication_details).toEqual({ payer_name: 'Grace' })
    await tabTo(page, 'button', 'Reveal the link')
    await page.keyboard.press('Enter')
    await signInAgain(ada, /Confirm at the sign-in provider/, 'ada')
    expect(await shownLink(ada)).toMatch(linkForm)
  }, 240_000)

  test('a declined payment is seen with its reason, and the next one completes the invitation', async () => {
    const payer = await openAsPayer(await shownLink(ada))
    await payer.getByText('10.50').first().waitFor()
    await payer.getByText('Other test cards').focus()
    await payer.keyboard.press('Enter')
    await tabTo(payer, 'button', /declined: insufficient funds/)
    await payer.keyboard.press('Enter')
    const line = ada.page.getByRole('region', { name: 'Time line' })
    await line.getByText('Payment not completed').waitFor()
    await tabTo(payer, 'button', /^Pay .* with a test card$/)
    await payer.keyboard.press('Enter')
    await status(ada, 'completed').waitFor()
    await line.getByText('Authorized', { exact: true }).waitFor()
    expect(await line.getByText(/insufficient.funds/i).count()).toBe(1)
  }, 240_000)

  test('an invitation is canceled, and its link is dead', async () => {
    const { page } = ada
    const { body } = await world.call('POST', '/v1/invite-to-pay/codes', {
      transaction: { business_unit_id: world.tenant.business_unit_id, currency: 'JPY', amount: 1_999 },
      communication_type: 'EMAIL',
      recipient: 'third@invitations.example',
    })
    await page.goto(`${world.platform.gatewayUrl}/console/invitations`)
    await tabTo(page, 'link', 'third@invitations.example')
    expect(await page.getByText('1,999 JPY').count()).toBe(1)
    await page.keyboard.press('Enter')
    await tabTo(page, 'button', 'Cancel invitation')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Cancel this invitation?' }).waitFor()
    await tabTo(page, 'button', 'Cancel the invitation')
    await page.keyboard.press('Enter')
    await status(ada, 'canceled').waitFor()
    const payer = await openAsPayer(body.url)
    await payer.getByRole('heading', { name: 'This link was canceled' }).waitFor()
    expect(await page.evaluate('document.activeElement?.tagName')).not.toBe('BODY')
  }, 240_000)
})

test('a detail that the template requires, and that is missing, is named at its field', async () => {
  const { page } = ada
  const variables = ['payer_name', 'amount', 'payment_url', 'expires_on'].map((name) => ({
    ...{ name, required: true, description: '' },
  }))
  const template = {
    ...{ name: 'polite', communication_type: 'EMAIL', subject: 'For {{payer_name}}', variables },
    text: 'Hello {{payer_name}}, {{amount}} until {{expires_on}}: {{payment_url}}',
  }
  expect((await world.call('POST', '/v1/communication/templates', template)).status).toBe(201)
  await page.goto(`${world.platform.gatewayUrl}/console/invitations/new`)
  await page.getByLabel('Amount').fill('4.50')
  await page.getByLabel('Email address').fill('fourth@invitations.example')
  await page.getByLabel('Template').selectOption({ label: 'polite' })
  await page.getByRole('button', { name: 'Send invitation' }).click()
  const name = page.getByLabel('Name of the payer')
  await page.locator('[aria-invalid="true"]').waitFor()
  expect(await name.getAttribute('aria-invalid')).toBe('true')
  await name.fill('Grace')
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText('Invited fourth@invitations.example to pay 4.50 EUR.').waitFor()
}, 240_000)

test('a wrong field in a closed part of the form is shown, whether the browser or the API rejects it', async () => {
  const { page } = ada
  await page.goto(`${world.platform.gatewayUrl}/console/invitations/new`)
  await page.getByLabel('Amount').fill('4.50')
  await page.getByLabel('Email address').fill('fifth@invitations.example')
  const more = page.getByText('More options')
  const returnPage = page.getByLabel('Page after the payment')
  for (const rejected of ['shop.example.com', 'http://shop.example.com']) {
    await more.click()
    await returnPage.fill(rejected)
    await more.click()
    await returnPage.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Send invitation' }).click()
    await returnPage.waitFor()
    expect(await returnPage.evaluate((field) => field === document.activeElement)).toBe(true)
    await more.click()
  }
}, 240_000)

test('no request was refused, no script failed, and nothing came from elsewhere', () => {
  expect(ada.faults).toEqual([])
})

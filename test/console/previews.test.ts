/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { eventually } from '../tenant-resources.ts'
import { type ConsoleWorld, openConsoleWorld, type SignedIn } from './world.ts'

/** The previewed message of an invitation is the message that is sent, but for the link and the minute of its end. */
let world: ConsoleWorld
let ada: SignedIn

beforeAll(async () => {
  world = await openConsoleWorld(sharedPlatform())
  ada = await world.signIn('ada')
}, 300_000)
afterAll(() => world?.stop())

const withoutLinks = (text: string) =>
  text
    .replaceAll(/https?:\S+/g, 'LINK')
    .split(/\s+/)
    .join(' ')
    .trim()

/** Sends the form with the previewed text once `shown` is in it, and returns that text and the sent one. */
async function readTexts(recipient: string, shown: string): Promise<readonly [previewed: string, sent: string]> {
  const { page } = ada
  await page.getByLabel('Email address').fill(recipient)
  const preview = page.getByRole('region', { name: 'Text of the message' })
  await preview.getByText(shown).first().waitFor()
  const previewed = await preview.innerText()
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText(`Invited ${recipient} to pay`).waitFor()
  const sent = await eventually(async () => {
    const { body } = await world.call('GET', `/v1/communication/outbox?recipient=${encodeURIComponent(recipient)}`)
    return body.data[0]?.text as string | undefined
  }, `a message to ${recipient}`)
  return [withoutLinks(previewed), withoutLinks(sent)]
}

const open = (path: string) => ada.page.goto(`${world.platform.gatewayUrl}/console/${path}`)

test('the preview is the translation of the template for the payer', async () => {
  for (const locale of ['en', 'de', 'ru']) {
    const text = `${locale.toUpperCase()} {{amount}} {{payment_url}}`
    const body = { name: 'Order', locale, communication_type: 'EMAIL', subject: locale, text }
    const variables = [{ name: 'amount' }, { name: 'payment_url' }]
    expect((await world.call('POST', '/v1/communication/templates', { ...body, variables })).status).toBe(201)
  }
  for (const [language, shown] of [
    ['de-AT', 'DE €'],
    ['ru', 'RU'],
    ['nl', '1.234,50'],
  ] as const) {
    await open('invitations/new')
    await ada.page.getByLabel('Amount').fill('1234.5')
    await ada.page.getByLabel('Template').selectOption({ label: 'Order (en)' })
    await ada.page.getByLabel('Language of the payer').fill(language)
    const [previewed, sent] = await readTexts(`${language.toLowerCase()}@previews.example`, shown)
    expect([language, previewed]).toEqual([language, sent])
  }
}, 240_000)

test('the preview has the language of the transaction, and formats of a language that the text has', async () => {
  for (const [locale, currency, shown] of [
    ['fr', 'EUR', 'un paiement de'],
    ['nb', 'NOK', 'NOK 1,234.50'],
    ['zh-Hant', 'TWD', 'NT$1,234.50'],
  ] as const) {
    const body = { business_unit_id: world.tenant.business_unit_id, currency, amount: 123_450, locale }
    const { body: transaction } = await world.call('POST', '/v1/payment-proxy/transactions', body)
    await open(`invitations/new?transaction_id=${transaction.id}`)
    const [previewed, sent] = await readTexts(`${locale.toLowerCase()}@transactions.example`, shown)
    const withoutMinute = (text: string) => text.replaceAll(/\d{1,2}:\d{2}/g, 'MINUTE')
    expect([locale, withoutMinute(previewed)]).toEqual([locale, withoutMinute(sent)])
  }
}, 240_000)

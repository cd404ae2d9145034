import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { until } from '@payments/testing/services/until'
import { authorizedIn, buildOperation, endConfirmation } from './ledger.ts'
import { codesPath, payPagePath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  world.startSending()
})
afterAll(() => world.stop())

const newRecipient = () => `${randomUUID()}@example.com`
const payment_method = 'CREDIT_CARD'
const readLanguage = ({ text }: { text: string }) => /<html lang="(\w+)"/.exec(text)?.[1]
const withSpaces = (text: string | undefined) => text?.replaceAll(/[\u00a0\u202f]/g, ' ')

async function messageTo(recipient: string, template: string) {
  const find = () =>
    [...world.communication.messages.values()].find((one) => one.recipient === recipient && one.template === template)
  await until(() => find() !== undefined)
  return find()
}

test('a code has the language of its invitation, else that of its transaction, else none', async () => {
  const tenant = world.tenant()
  const { transaction } = tenant.draft()
  const inFrench = { transaction: { ...transaction, locale: 'fr' } }
  const codes = [
    await tenant.create({ ...inFrench, locale: 'de-AT' }),
    await tenant.create(inFrench),
    await tenant.create(),
    await tenant.create({ transaction: undefined, transaction_id: tenant.transaction({ locale: 'ja' }).id }),
  ]
  expect(codes.map(({ locale }) => locale)).toEqual(['de-AT', 'fr', null, 'ja'])
  expect((await tenant.read(codes[0]?.id ?? '')).locale).toBe('de-AT')
  expect((await tenant.events()).map(({ payload }) => payload.code.locale)).toEqual(['de-AT', 'fr', null, 'ja'])
})

test.each(['d', 'de--AT', 'deutschland', ' de', ''])(
  'rejects a malformed locale, names the field: %p',
  async (locale) => {
    const tenant = world.tenant()
    const code = await tenant.create({ locale: 'de' })
    const replies = [
      await tenant.post(codesPath, tenant.draft({ locale })),
      await tenant.patch(`${codesPath}/${code.id}`, { locale }),
    ]
    for (const reply of replies) {
      expect(outcome(reply)).toEqual([400, 'invalid_request'])
      expect(reply.body.errors).toMatchObject([{ pointer: '/locale' }])
    }
    expect(await tenant.read(code.id)).toMatchObject({ locale: 'de', version: 1 })
    expect(await tenant.events()).toHaveLength(1)
  },
)

test('shows the page in the language that the payer chose, else of the code, the browser, the unit', async () => {
  const tenant = world.tenant()
  const [german, open] = [await tenant.create({ locale: 'de-AT' }), await tenant.create()]
  await world.setDefaultLocale(tenant.unitId, 'it')
  const show = (path: string, accepted?: string) =>
    world.payer.get(path, accepted === undefined ? {} : { 'Accept-Language': accepted })
  const pages = [
    await show(`${payPagePath(german)}?lang=pl`, 'fr'),
    await show(payPagePath(german), 'fr'),
    await show(payPagePath(open), 'zh, fr-CH;q=0.9'),
    await show(payPagePath(open), 'zh'),
    await show(payPagePath(open)),
    await show('/pay/unknown?lang=cs'),
    await show('/pay/unknown', 'sv'),
    await show('/pay/unknown'),
  ]
  expect(pages.map(readLanguage)).toEqual(['pl', 'de', 'fr', 'it', 'it', 'cs', 'sv', 'en'])
  expect(withSpaces(pages[1]?.text)).toContain('€ 39,98')
})

test.each([
  '?lang=xx',
  '?lang=',
  '?lang=de&lang=fr',
  '?lang[]=de',
  '?lang=%00',
  '?utm_source=mail&fbclid=1',
  '?lang=en-US-x',
])('no query breaks the page: %s', async (query) => {
  const code = await world.tenant().create()
  const page = await world.payer.get(`${payPagePath(code)}${query}`)
  expect([page.status, readLanguage(page)]).toEqual([200, 'en'])
  expect(page.text).toContain(`action="${payPagePath(code)}"`)
})

test('the chosen language stays through the form, its rejection and the redirect', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const path = `${payPagePath(code)}?lang=nl`
  expect((await world.payer.get(path)).text).toContain(`<form method="post" action="${path}">`)
  const rejected = await world.payer.form(path, { nonce: 'x', cc_token: 'tok_visa', payment_method })
  expect([rejected.status, readLanguage(rejected)]).toEqual([409, 'nl'])
  expect(rejected.text).toContain(`action="${path}"`)
  const nonce = await world.nonce(code)
  const paid = await world.payer.form(path, { nonce, cc_token: 'tok_visa', payment_method })
  expect([paid.status, paid.headers['location']]).toEqual([303, path])
  await world.deps.inProgress.settled()
  expect(readLanguage(await world.payer.get(path))).toBe('nl')
})

test('sends the invitation in the language of the code, and the receipt in that of the page that was paid', async () => {
  const tenant = world.tenant({ timezone_name: 'Europe/Berlin' })
  const recipient = newRecipient()
  const code = await tenant.create({ recipient, locale: 'de-AT' })
  const invitation = await messageTo(recipient, 'invitation')
  expect(invitation?.locale).toBe('de-AT')
  expect(withSpaces(invitation?.variables['amount'])).toBe('€ 39,98')
  const path = `${payPagePath(code)}?lang=fr&time_zone=America%2FNew_York`
  const nonce = await world.nonce(code)
  await world.payer.form(path, { nonce, cc_token: 'tok_visa', payment_method })
  await world.deps.inProgress.settled()
  expect(await world.stored(code.id)).toMatchObject({ payer_locale: 'fr', payer_time_zone: 'America/New_York' })
  const receipt = await messageTo(recipient, 'authorization')
  expect(receipt).toMatchObject({ locale: 'fr', variables: { brand: 'Visa', last4: '4242' } })
  const { amount, paid_at: paidAt } = receipt?.variables ?? {}
  expect([withSpaces(amount), withSpaces(receipt?.items?.[0]?.amount)]).toEqual(['39,98 €', '39,98 €'])
  expect(receipt?.items).toMatchObject([{ name: 'Coffee', quantity: 2 }])
  expect(paidAt).toMatch(/^\d{1,2} \p{L}+ \d{4} à \d{2}:\d{2} \(heure de l’Est .+\)$/u)
})

test('without a language of the code, the business unit decides; without a time zone of the browser, its own', async () => {
  const tenant = world.tenant({ timezone_name: 'Asia/Tokyo' })
  const recipient = newRecipient()
  const code = await tenant.create({ recipient })
  expect((await messageTo(recipient, 'invitation'))?.locale).toBeNull()
  await world.setDefaultLocale(tenant.unitId, 'da')
  const nonce = await world.nonce(code)
  const path = `${payPagePath(code)}?time_zone=Europe%2FAtlantis`
  await world.payer.form(path, { nonce, cc_token: 'tok_visa', payment_method })
  await world.deps.inProgress.settled()
  expect(await world.stored(code.id)).toMatchObject({ payer_locale: 'da', payer_time_zone: null })
  const receipt = await messageTo(recipient, 'authorization')
  expect(receipt?.locale).toBe('da')
  expect(receipt?.variables['paid_at']).toMatch(/\(.*[Jj]apan.*\)$/)
})

test('a code and a unit in a language without texts have a page and amounts in English', async () => {
  const tenant = world.tenant()
  const recipient = newRecipient()
  const code = await tenant.create({ recipient })
  await world.setDefaultLocale(tenant.unitId, 'fi')
  await world.rows(`UPDATE codes SET locale = 'fi-FI' WHERE id = $1::uuid`, code.id)
  const page = await world.payer.get(payPagePath(code))
  expect([page.status, readLanguage(page)]).toEqual([200, 'en'])
  const { transaction } = world.payments.ledger.get(code.transaction_id) ?? {}
  if (transaction === undefined) throw new Error('no transaction')
  await world.event(tenant.id, transaction, null, authorizedIn(transaction))
  const receipt = await messageTo(recipient, 'authorization')
  expect([receipt?.locale, receipt?.variables['amount']]).toEqual(['fi-FI', '€39.98'])
})

test('a receipt has the time at which the payer submitted the payment, also when its outcome is found late', async () => {
  const tenant = world.tenant({ timezone_name: 'Europe/Berlin' })
  const recipient = newRecipient()
  const code = await tenant.create({ recipient, locale: 'de' })
  await world.pay(code, 'tok_challenge')
  const { transaction } = world.payments.ledger.get(code.transaction_id) ?? {}
  if (transaction === undefined) throw new Error('no transaction')
  endConfirmation(transaction, 'succeeded', '')
  const instants = { created_at: '2026-01-15T08:30:00.000Z', completed_at: '2026-01-15T14:00:00.000Z' }
  Object.assign(transaction.operations[0] ?? {}, instants)
  const refused = buildOperation({ id: randomUUID(), state: 'declined', created_at: '2026-01-14T08:30:00.000Z' })
  transaction.operations.unshift(refused)
  await world.event(tenant.id, transaction, null)
  const { paid_at: paidAt, paid_on: paidOn } = (await messageTo(recipient, 'authorization'))?.variables ?? {}
  expect([paidAt, paidOn]).toEqual([expect.stringMatching(/^15\. Januar 2026 um 09:30 \(/), '15. Januar 2026'])
})

test('a payment otherwise than on the page leaves the receipt in the language of the code', async () => {
  const tenant = world.tenant()
  const recipient = newRecipient()
  const code = await tenant.create({ recipient, locale: 'sv' })
  const { transaction } = world.payments.ledger.get(code.transaction_id) ?? {}
  if (transaction === undefined) throw new Error('no transaction')
  await world.event(tenant.id, transaction, null, authorizedIn(transaction))
  const receipt = await messageTo(recipient, 'authorization')
  expect(receipt?.locale).toBe('sv')
  expect(Object.keys(receipt?.variables ?? {})).not.toContain('last4')
})

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { confirmingCode } from './confirmations.ts'
import { bankUrl } from './ledger.ts'
import { payPagePath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const html = bankUrl.replace('&', '&amp;')

test('a payment that the payer must confirm redirects from the form to the bank, which gets our return address', async () => {
  const { code, path, paid } = await confirmingCode(world)
  expect([paid.status, paid.headers['location']]).toEqual([303, `${path}/bank`])
  const payment = world.payments.payments.at(-1)
  expect(payment?.return_url).toBe(`${code.url}/return`)
  const page = await world.payer.get(`${path}/bank`)
  expect([page.status, page.text.includes(`href="${html}"`), page.text.includes('location.replace(')]).toEqual([
    200,
    true,
    true,
  ])
  expect(page.headers['content-security-policy']).toContain("form-action 'self';")
  expect(page.headers['referrer-policy']).toBe('no-referrer')
})

test('the page of the link has a link to the bank, and does not redirect there', async () => {
  const { path, readStatus } = await confirmingCode(world)
  const page = await world.payer.get(path)
  expect([page.status, page.text.includes(`href="${html}"`), page.text.includes('location.replace(document')]).toEqual([
    200,
    true,
    false,
  ])
  expect(page.text).toContain('data-state="confirming"')
  expect(await readStatus()).toBe('processing')
})

test('another phone with the link sees the payment, and cannot pay a second time', async () => {
  const { code, path } = await confirmingCode(world)
  const before = world.payments.payments.length
  const second = await world.payer.form(path, {
    nonce: await world.nonce(code),
    cc_token: 'tok_visa',
    payment_method: 'CREDIT_CARD',
  })
  expect(second.status).toBe(409)
  expect(second.text).toContain('data-state="confirming"')
  expect(world.payments.payments).toHaveLength(before)
})

test('redirects to the page of the link when no payment waits, and has a page for an unknown link', async () => {
  const code = await world.tenant().create()
  const reply = await world.payer.get(`${payPagePath(code)}/bank?lang=de`)
  expect([reply.status, reply.headers['location']]).toEqual([303, `${payPagePath(code)}?lang=de`])
  expect((await world.payer.get('/pay/unknown/bank')).status).toBe(404)
})

test('the language that the payer chose stays, to the bank and back', async () => {
  const code = await world.tenant().create()
  const paid = await world.payer.form(`${payPagePath(code)}?lang=de`, {
    nonce: await world.nonce(code),
    cc_token: 'tok_challenge',
    payment_method: 'CREDIT_CARD',
  })
  expect(paid.headers['location']).toBe(`${payPagePath(code)}/bank?lang=de`)
  expect(world.payments.payments.at(-1)?.return_url).toBe(`${code.url}/return?lang=de`)
  expect((await world.payer.get(`${payPagePath(code)}/bank?lang=de`)).text).toContain('Weiter zu Ihrer Bank')
})

test('the time for the confirmation is in the time zone of the payer', async () => {
  const code = await world.tenant({ timezone_name: 'Asia/Tokyo' }).create()
  const nonce = await world.nonce(code)
  const fields = { nonce, cc_token: 'tok_challenge', payment_method: 'CREDIT_CARD' }
  await world.payer.form(`${payPagePath(code)}?time_zone=America%2FNew_York`, fields)
  const { text } = await world.payer.get(`${payPagePath(code)}?lang=en-US`)
  expect(text).toMatch(/Confirm by <time datetime="[^"]+">\d{1,2}:\d{2}\s[AP]M E[SD]T<\/time>/)
})

test('after the time of the payer, the page shows a payment in progress', async () => {
  const { code, path } = await confirmingCode(world)
  await world.rows(
    `UPDATE codes SET confirmation = jsonb_set(confirmation, '{expires_at}', '"2026-01-01T00:00:00.000Z"') WHERE id = $1::uuid`,
    code.id,
  )
  expect((await world.payer.get(path)).text).toContain('data-state="processing"')
  expect((await world.payer.get(`${path}/bank`)).status).toBe(303)
})

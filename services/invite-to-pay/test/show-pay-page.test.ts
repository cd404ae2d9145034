import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { recordedTenantHeader } from '@payments/contracts/services/audit/contract'
import { readRows } from '@payments/testing/database/rows'
import { createApp } from '../src/app.ts'
import { codesPath, origin, payPagePath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('shows an active code and changes nothing, however often it is opened', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const rows = await readRows(world.database.ownerUrl, { without: ['business_unit'] })
  await world.payer.get(payPagePath(code))
  const before = await rows.digest()
  for (let i = 0; i < 3; i += 1) {
    const page = await world.payer.get(payPagePath(code))
    expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(page.text).toContain('Coffee')
  }
  expect(await rows.digest()).toEqual(before)
  await rows.stop()
})

test('names the tenant of the code for its audit, of a page and of a payment, and none for an unknown code', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const replies = [
    await world.payer.get(payPagePath(code)),
    await world.payer.form(payPagePath(code), { nonce: 'x', cc_token: 'tok_visa' }),
    await world.payer.get(`/pay/${randomBytes(24).toString('base64url')}`),
  ]
  expect(replies.map(({ headers }) => headers[recordedTenantHeader])).toEqual([tenant.id, tenant.id, undefined])
})

test('an unknown, a malformed and a huge code get the same page', async () => {
  const pages = await Promise.all(
    [randomBytes(16).toString('base64url'), 'x', '%F0%9F%98%80', 'a'.repeat(4_000)].map((value) =>
      world.payer.get(`/pay/${value}`),
    ),
  )
  for (const { status, text } of pages) expect([status, text]).toEqual([404, pages[0]?.text])
  const posts = await Promise.all([
    world.payer.form('/pay/x', { nonce: 'n', cc_token: 'tok_visa' }),
    world.payer.form(`/pay/${'a'.repeat(4_000)}`, {}),
  ])
  for (const { status, text } of posts) expect([status, text]).toEqual([404, pages[0]?.text])
})

test('frames the card page of a sandbox, in place of the buttons of its test cards', async () => {
  const tenant = world.tenant({}, { orchestrators: [{ iframe_url: 'https://cards.example/form' }] })
  const { text, headers } = await world.payer.get(payPagePath(await tenant.create()))
  expect(text).toContain('<iframe id="card-page" title="Card details" src="https://cards.example/form"')
  expect(text).not.toContain('tok_sandbox')
  expect(headers['content-security-policy']).toContain('frame-src https://cards.example;')
})

test('an expired code is gone before the job has recorded it, and so is a canceled one', async () => {
  const tenant = world.tenant()
  const [expired, canceled] = [await tenant.create(), await tenant.create()]
  await world.age(expired.id, 24 * 3600)
  await tenant.post(`${codesPath}/${canceled.id}/cancel`).expect(200)
  for (const code of [expired, canceled]) {
    const page = await world.payer.get(payPagePath(code))
    expect([page.status, page.text.includes('Coffee')]).toEqual([410, false])
  }
})

test('says that a payment is not possible when the payment orchestrator has lost its card page', async () => {
  const iframe = { payment_gateway: 'http' as const, iframe_url: 'https://cards.example.com/' }
  const tenant = world.tenant({}, { orchestrators: [iframe] })
  const code = await tenant.create()
  expect((await world.payer.get(payPagePath(code))).text).toContain('https://cards.example.com')
  await world.rows(
    `UPDATE business_unit_copies SET payment_orchestrators = jsonb_set(payment_orchestrators, '{0,iframe_url}', 'null')
     WHERE business_unit_id = $1::uuid`,
    tenant.unitId,
  )
  expect((await world.payer.get(payPagePath(code))).status).toBe(503)
})

test('a link of a deleted business unit is gone', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  expect((await world.payer.get(payPagePath(code))).status).toBe(200)
  await world.deleteUnit(tenant.unitId)
  const page = await world.payer.get(payPagePath(code))
  expect([page.status, page.text.includes('Coffee')]).toEqual([410, false])
})

/** The copies of the payment orchestrators, as an event of business-unit changes them. */
const changeOrchestrator = (unitId: string, changes: object) =>
  world.rows(
    `UPDATE business_unit_copies
     SET payment_orchestrators = jsonb_set(payment_orchestrators, '{0}', payment_orchestrators->0 || $2::jsonb)
     WHERE business_unit_id = $1::uuid`,
    unitId,
    JSON.stringify(changes),
  )

test('in production, a link whose payment would move no money has no form and is not paid', async () => {
  const iframe = { payment_gateway: 'http' as const, iframe_url: 'https://cards.example.com/', mode: 'test' as const }
  for (const orchestrators of [[{}], [iframe]]) {
    const tenant = world.tenant({}, { orchestrators })
    const code = await tenant.create()
    expect((await world.payer.get(payPagePath(code))).text).toContain('<form')
    const production = createApp({ ...world.deps, acceptsTestMode: false })
    const payer = world.payerAt(production)
    const form = { nonce: await world.nonce(code), cc_token: 'tok_visa', payment_method: 'CREDIT_CARD' }
    for (const { status, text } of [await payer.get(payPagePath(code)), await payer.form(payPagePath(code), form)]) {
      expect([status, text.includes('This link is for tests')]).toEqual([410, true])
      expect(text).not.toMatch(/<form|<iframe|tok_sandbox/)
    }
    expect((await tenant.read(code.id)).status).toBe('active')
    await changeOrchestrator(tenant.unitId, { payment_gateway: 'stripe', iframe_url: iframe.iframe_url, mode: 'live' })
    expect((await payer.get(payPagePath(code))).text).toContain('<iframe')
  }
})

test('vouches for the card page only while the operator of the platform lists its origin', async () => {
  const tenant = world.tenant(
    {},
    { orchestrators: [{ payment_gateway: 'http', iframe_url: 'https://cards.example/' }] },
  )
  const code = await tenant.create()
  const page = async () => (await world.payer.get(payPagePath(code))).text
  expect(await page()).toContain('The card form is a page of <bdi>cards.example</bdi>.')
  expect(await page()).not.toContain('does not see them')
  await changeOrchestrator(tenant.unitId, { card_page_trusted: true })
  expect(await page()).toContain('does not see them')
})

test('frames no page of the origin of the pay page', async () => {
  const own = { payment_gateway: 'http' as const, iframe_url: `${origin}/pay/x` }
  const tenant = world.tenant({}, { orchestrators: [own] })
  const rejected = await tenant.post(codesPath, tenant.draft())
  expect([rejected.status, rejected.body.code]).toEqual([422, 'payment_orchestrator_without_page'])
  await changeOrchestrator(tenant.unitId, { iframe_url: 'https://cards.example/' })
  const code = await tenant.create()
  await changeOrchestrator(tenant.unitId, { iframe_url: `${origin.toUpperCase().replace('HTTPS', 'https')}:443/docs` })
  const page = await world.payer.get(payPagePath(code))
  expect([page.status, page.text.includes('<iframe')]).toEqual([503, false])
})

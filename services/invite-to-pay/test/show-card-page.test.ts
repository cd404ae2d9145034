import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { recordedTenantHeader } from '@payments/contracts/services/audit/contract'
import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import type { CodeWithLink } from '@payments/contracts/services/invite-to-pay/contract'
import { readRows } from '@payments/testing/database/rows'
import { createApp } from '../src/app.ts'
import { issueTicket } from '../src/domain/card-page-ticket.ts'
import { hashCode } from '../src/domain/code-value.ts'
import { cardPageOrigin, codesPath, origin, payPagePath, startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const key = 'pk_test_51HxAbCd'
const stripe = (given: Partial<PaymentOrchestrator> = {}): Partial<PaymentOrchestrator> => ({
  payment_gateway: 'stripe',
  settings: { publishable_key: key },
  ...given,
})
const tenantWith = (given: Partial<PaymentOrchestrator> = {}): TestTenant =>
  world.tenant({}, { orchestrators: [stripe(given)] })

/** The address of the frame in the pay page of a code, and its path. */
async function readFrame(code: CodeWithLink): Promise<string> {
  const { text } = await world.payer.get(payPagePath(code))
  return /<iframe[^>]* src="([^"]+)"/.exec(text)?.[1] ?? ''
}
const cardPagePath = async (code: CodeWithLink) => {
  const { pathname, search } = new URL(await readFrame(code))
  return `${pathname}${search}`
}

test('the pay page of a Stripe account with a publishable key frames our card page, and vouches for it', async () => {
  const code = await tenantWith().create()
  const page = await world.payer.get(payPagePath(code))
  expect(await readFrame(code)).toMatch(/^https:\/\/cards\.example\.com\/pay\/card\/stripe\/[\w-]{43}\?lang=en$/)
  expect(page.headers['content-security-policy']).toContain(`frame-src ${cardPageOrigin};`)
  expect(page.text).toContain('does not see them')
  expect(page.text).not.toContain('The card form is a page of')
})

test('the card page has the key, the amount and the color of its code, and nothing of the link or the payer', async () => {
  const tenant = world.tenant(
    { branding: { display_name: 'Coffee', logo_url: null, primary_color: '#0f766e', support_email: null } },
    { orchestrators: [stripe()] },
  )
  const code = await tenant.create({ communication_details: { payer_name: 'Ada Lovelace' } })
  const page = await world.payer.get(await cardPagePath(code))
  expect([page.status, page.headers['cache-control'], page.headers['referrer-policy']]).toEqual([
    200,
    'no-store',
    'no-referrer',
  ])
  for (const shown of [key, 'Pay €39.98', '&quot;amount&quot;:3998,&quot;currency&quot;:&quot;eur&quot;', '#0f766e']) {
    expect(page.text).toContain(shown)
  }
  for (const hidden of [payPagePath(code).slice('/pay/'.length), 'Ada', 'payer@example.com', code.id]) {
    expect(page.text).not.toContain(hidden)
  }
  expect(page.headers[recordedTenantHeader]).toBe(tenant.id)
})

test('its policy permits Stripe and its own style and script, and only the pay page frames it', async () => {
  const page = await world.payer.get(await cardPagePath(await tenantWith().create()))
  expect(String(page.headers['content-security-policy']).replaceAll(/'sha256-[^']+'/g, 'HASH')).toBe(
    [
      "default-src 'none'",
      'script-src HASH https://js.stripe.com https://*.js.stripe.com',
      'frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
      'connect-src https://api.stripe.com',
      'img-src https://*.stripe.com',
      'style-src HASH',
      "form-action 'none'",
      "base-uri 'none'",
      `frame-ancestors ${origin}`,
    ].join('; '),
  )
  expect(page.headers['x-frame-options']).toBeUndefined()
  expect(page.text).toContain(`&quot;payOrigin&quot;:&quot;${origin}&quot;`)
  expect(page.text).not.toContain("'*'")
})

test('a card page of the merchant wins over ours', async () => {
  const own = 'https://cards.merchant.example/form'
  expect(await readFrame(await tenantWith({ iframe_url: own }).create())).toBe(own)
})

test.each([
  ['without a publishable key', { settings: {} }],
  ['with a setting that is no publishable key', { settings: { publishable_key: 'sk_test_secret' } }],
  ['with a tokenizer of its own', { tokenizer_url: 'https://cards.merchant.example/tokens' }],
  ['of another connector', { payment_gateway: 'http' as const }],
])('a payment orchestrator %s has no card page, and no code', async (_, given) => {
  const tenant = tenantWith(given)
  const reply = await tenant.post(codesPath, tenant.draft())
  expect([reply.status, reply.body.code]).toEqual([422, 'payment_orchestrator_without_page'])
})

test('without an origin of card pages there is no card page, and the code is rejected', async () => {
  const off = createApp({ ...world.deps, cardPageOrigin: null })
  const tenant = tenantWith()
  const reply = await tenant.at(off).post(codesPath, tenant.draft())
  expect([reply.status, reply.body.code]).toEqual([422, 'payment_orchestrator_without_page'])
  const code = await tenant.create()
  expect((await world.payerAt(off).get(await cardPagePath(code))).status).toBe(404)
  expect((await world.payerAt(off).get(payPagePath(code))).status).toBe(503)
})

test('another ticket, an unknown code and a ticket of another link have the same page, and read no merchant', async () => {
  const [one, other] = [await tenantWith().create(), await tenantWith().create()]
  const hash = hashCode(payPagePath(other).slice('/pay/'.length))
  const replies = await Promise.all(
    [
      'x',
      'a'.repeat(43),
      'a'.repeat(4_000),
      issueTicket({ id: randomUUID(), codeHash: hash }),
      issueTicket({ id: one.id, codeHash: hash }),
    ].map((ticket) => world.payer.get(`/pay/card/stripe/${ticket}?lang=de`)),
  )
  for (const { status, text, headers } of replies) {
    expect([status, text, headers[recordedTenantHeader]]).toEqual([404, replies[0]?.text, undefined])
  }
  expect(replies[0]?.text).toContain('Hier kann nichts bezahlt werden')
  expect(replies[0]?.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src/)
})

test.each<[string, (tenant: TestTenant, code: CodeWithLink) => Promise<unknown>]>([
  ['is canceled', (tenant, code) => tenant.post(`${codesPath}/${code.id}/cancel`)],
  ['has expired', (_, code) => world.age(code.id, 24 * 3600)],
  ['is of a suspended tenant', async (tenant) => world.rbac.suspended.add(tenant.id)],
  ['is of a deleted business unit', (tenant) => world.deleteUnit(tenant.unitId)],
  [
    'has another card page by now',
    (tenant) =>
      world.rows(
        `UPDATE business_unit_copies SET payment_orchestrators =
           jsonb_set(payment_orchestrators, '{0,iframe_url}', '"https://cards.merchant.example/"')
         WHERE business_unit_id = $1::uuid`,
        tenant.unitId,
      ),
  ],
  [
    'has an inactive payment orchestrator',
    (tenant) =>
      world.rows(
        `UPDATE business_unit_copies SET payment_orchestrators =
           jsonb_set(payment_orchestrators, '{0,status}', '"inactive"') WHERE business_unit_id = $1::uuid`,
        tenant.unitId,
      ),
  ],
])('has no fields once the code %s', async (_, change) => {
  const tenant = tenantWith()
  const code = await tenant.create()
  const path = await cardPagePath(code)
  expect((await world.payer.get(path)).status).toBe(200)
  await change(tenant, code)
  const page = await world.payer.get(path)
  expect([page.status, page.text.includes(key)]).toEqual([404, false])
})

test('in production a test key has no card page', async () => {
  const inProduction = createApp({ ...world.deps, acceptsTestMode: false })
  const path = await cardPagePath(await tenantWith().create())
  expect((await world.payerAt(inProduction).get(path)).status).toBe(404)
})

test('changes nothing, however often it is opened', async () => {
  const path = await cardPagePath(await tenantWith().create())
  await world.payer.get(path)
  const rows = await readRows(world.database.ownerUrl, { without: ['business_unit'] })
  const before = await rows.digest()
  for (let i = 0; i < 3; i += 1) expect((await world.payer.get(path)).status).toBe(200)
  expect(await rows.digest()).toEqual(before)
  await rows.stop()
})

test.each([
  ['de-AT', 'de', '€ 39,98 zahlen', 'de'],
  ['pt-BR', 'pt', 'Pagar € 39,98', 'pt-BR'],
  ['pt', 'pt-PT', 'Pagar 39,98 €', 'pt'],
  ['ja', 'ja', '€39.98を支払う', 'ja'],
  ['ar', 'en', 'Pay €39.98', 'en'],
  ['%22%3E%3Cscript%3E', 'en', 'Pay €39.98', 'en'],
])('speaks the language of the pay page, with lang %s', async (lang, language, button, ofStripe) => {
  const path = (await cardPagePath(await tenantWith().create())).replace('lang=en', `lang=${lang}`)
  const { status, text } = await world.payer.get(path)
  expect([status, /<html lang="([\w-]+)"/.exec(text)?.[1]]).toEqual([200, language])
  expect(text.replaceAll('\u00a0', ' ')).toContain(`>${button}</button>`)
  expect(text).toContain(`&quot;locale&quot;:&quot;${ofStripe}&quot;`)
})

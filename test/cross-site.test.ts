import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Browser, openBrowser, type Page } from '@payments/testing/peers/browser'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type AttackSite, attackSite, attacks } from './people/attack-site.ts'
import { requestsIn, startMs } from './people/gateway-log.ts'
import { fetchIn, newPage, onboardWithAdministrator, signIn } from './people/world.ts'
import { type Call, createCaller, type Onboarded } from './tenant.ts'
import { until } from './until.ts'

/**
 * Requests of other sites in the browser of a person who is signed in. Another port of the same host is the same site,
 * so the browser sends the cookie from there: the gateway itself must refuse it.
 * During the attacks, nothing else uses a credential of their tenant.
 */
const ada = `ada@juniper-${randomUUID().slice(0, 8)}.example`
const platform = sharedPlatform()
let browser: Browser
let tenant: Onboarded
let call: Call
let site: AttackSite
let victim: Page

beforeAll(async () => {
  browser = await openBrowser()
  tenant = await onboardWithAdministrator(platform, ada)
  call = createCaller(platform, tenant.api_key.value, tenant.tenant_id)
  site = await attackSite(platform.gatewayUrl)
  victim = await newPage(browser)
  await victim.goto(`${platform.gatewayUrl}/console`)
  await signIn(victim, ada)
}, 300_000)

afterAll(async () => {
  await site?.close()
  await browser?.close()
}, 120_000)

const state = async () => {
  const paths = ['/v1/identity/users', '/v1/identity/user-invitations', '/v1/api-key/keys', '/v1/rbac/roles']
  const replies = await Promise.all(paths.map((path) => call('GET', path)))
  // The call itself uses an API key.
  return replies.map(({ body }) => body.data.map((item: object) => ({ ...item, last_used_at: undefined })))
}

/** Leads to an empty page once all that the console has sent has a response: it reads its lists from time to time. */
async function stopReads(page: Page): Promise<void> {
  const open = new Set<object>()
  page.on('request', (request) => open.add(request))
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  await page.reload()
  await page.waitForLoadState('networkidle')
  await page.route('**/*', (route) => route.abort())
  await until('responses of the reads of the console', () => open.size === 0)
  await page.goto('about:blank')
  await page.unrouteAll({ behavior: 'wait' })
}

test('no request of another site, port, frame, form, image or worker is authenticated or has an effect', async () => {
  const before = await state()
  await stopReads(victim)
  const from = Date.now()
  const attacked: string[] = []
  victim.context().on('request', (request) => {
    const { origin, pathname } = new URL(request.url())
    if (origin === platform.gatewayUrl) attacked.push(pathname)
  })
  for (const origin of site.origins) {
    const page = await victim.context().newPage()
    await page.goto(`${origin}/attack`)
    await until('end of the attacks', () => page.evaluate('globalThis.isDone === true'), 120_000)
    await page.close()
  }
  const sent = attacks.length * site.origins.length
  expect(sent).toBeGreaterThanOrEqual(40)
  // Chromium does not report each request of a sandboxed frame.
  expect(attacked.length).toBeGreaterThan(0.8 * sent)
  const last = randomUUID()
  await fetch(`${platform.gatewayUrl}/v1/identity/self`, { headers: { 'Trace-ID': last } })
  // A read of the console that began before may be in the log only now.
  const since = () => requestsIn(platform.logDirectory).filter((request) => startMs(request) >= from)
  await until('the last request in the log', () => since().some(({ trace_id }) => trace_id === last))
  const received = since()
  expect(received.filter(({ tenant_id: id }) => id === tenant.tenant_id)).toEqual([])
  // Those of other test files that succeed carry their tenants.
  const anonymous = received.filter(({ tenant_id: id, path }) => id === null && path?.startsWith('/v1/'))
  const onAttacked = anonymous.filter(({ path }) => attacked.includes(String(path)))
  expect(onAttacked.length).toBeGreaterThanOrEqual(30)
  expect(onAttacked.filter(({ status }) => status < 300)).toEqual([])
  await victim.goto(`${platform.gatewayUrl}/console`)
  expect(await state()).toEqual(before)
  expect(await fetchIn(victim, 'GET', '/v1/identity/self')).toMatchObject({ status: 200 })
}, 240_000)

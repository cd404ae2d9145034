import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Browser, openBrowser, type Page } from '@payments/testing/peers/browser'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import { type AttackSite, attackSite, attacks } from './people/attack-site.ts'
import { requestsIn, startMs } from './people/gateway-log.ts'
import { fetchIn, newPage, onboardWithAdministrator, signIn } from './people/world.ts'
import { type Call, createCaller } from './tenant.ts'
import { until } from './until.ts'

/**
 * Requests of other sites in the browser of a person who is signed in. Another port of the same host is the same site,
 * so the browser sends the cookie from there: the gateway itself must refuse it.
 */
let platform: TestStack
let browser: Browser
let call: Call
let site: AttackSite
let victim: Page

beforeAll(async () => {
  platform = await startTestStack({ without: ['webhooks', 'webhooks-dispatcher', 'payment-proxy', 'invite-to-pay'] })
  browser = await openBrowser()
  const { tenant_id, api_key } = await onboardWithAdministrator(platform, 'ada@juniper.example')
  call = createCaller(platform, api_key.value, tenant_id)
  site = await attackSite(platform.gatewayUrl)
  victim = await newPage(browser)
  await victim.goto(`${platform.gatewayUrl}/console`)
  await signIn(victim, 'ada@juniper.example')
}, 300_000)

afterAll(async () => {
  await site?.close()
  await browser?.close()
  await platform?.stop()
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
  for (const origin of site.origins) {
    const page = await victim.context().newPage()
    await page.goto(`${origin}/attack`)
    await until('end of the attacks', () => page.evaluate('globalThis.isDone === true'), 120_000)
    await page.close()
  }
  const sent = attacks.length * site.origins.length
  expect(sent).toBeGreaterThanOrEqual(40)
  // A read of the console that began before may be in the log only now.
  const since = () => requestsIn(platform.logDirectory).filter((request) => startMs(request) >= from)
  await until('requests of the attacks', () => since().length >= sent / 2)
  const received = since().filter(({ path }) => /^\/(v1|session)\//.test(path ?? ''))
  const own = new Set(['GET /session/signed-out'])
  expect(received.filter(({ tenant_id: tenant }) => tenant !== null)).toEqual([])
  expect(received.filter(({ method, path, status }) => status < 300 && !own.has(`${method} ${path}`))).toEqual([])
  await victim.goto(`${platform.gatewayUrl}/console`)
  expect(await state()).toEqual(before)
  expect(await fetchIn(victim, 'GET', '/v1/identity/self')).toMatchObject({ status: 200 })
}, 240_000)

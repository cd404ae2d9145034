/** @slow It drives Chromium. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Service, services, withClient } from '@payments/devkit/servers/databases'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { until } from '../until.ts'
import { missSome } from './missed.ts'
import { payloads } from './payloads.ts'
import { type ConsoleWorld, openConsoleWorld, type SignedIn } from './world.ts'

/**
 * Texts of others on each page: every text of the tenant holds 200 payloads, which are in the database as if each check
 * of the API had failed. None of them runs, and none becomes an element.
 */
let world: ConsoleWorld
let endpoint: Receiver
let ada: SignedIn
let unitId: string

const hostile = payloads.join('\n')

beforeAll(async () => {
  endpoint = await receiver()
  world = await openConsoleWorld(sharedPlatform())
  unitId = world.tenant.business_unit_id
  await missSome(world, endpoint)
  await fill()
  ada = await world.signIn('ada')
  // Audit records never change: a client writes its name into them.
  for (const userAgent of payloads.filter((payload) => /^[ -~]{1,200}$/.test(payload))) {
    await world.call('GET', '/v1/rbac/roles?limit=1', undefined, { 'user-agent': userAgent })
  }
  for (const service of services) if (service !== 'audit') await poison(service)
}, 300_000)
afterAll(async () => {
  await world?.stop()
  await endpoint?.close()
})

async function fill(): Promise<void> {
  const post = async (path: string, body: object) => {
    const { status, body: reply } = await world.call('POST', path, body)
    expect([path, status]).toEqual([path, 201])
    return reply
  }
  const payment = { business_unit_id: unitId, currency: 'EUR', external_reference: 'order' }
  await post('/v1/payment-proxy/transactions/authorize', {
    ...payment,
    transaction: { transaction_items: [{ name: 'beans', unit_amount: 100, quantity: 1 }] },
    customer_details: { name: 'payer', reference: 'payer' },
    payment_details: { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' },
  })
  await post('/v1/rbac/roles', { name: 'role', description: 'role', permissions: ['apikey:ReadKey'] })
  await post('/v1/communication/templates', {
    name: 'template',
    communication_type: 'EMAIL',
    subject: 'subject',
    text: 'text',
    html: '<p>text</p>',
  })
  await post('/v1/invite-to-pay/codes', {
    transaction: { business_unit_id: unitId, currency: 'EUR', amount: 100 },
    communication_type: 'EMAIL',
    recipient: 'payer@foreign-texts.example',
    communication_details: { payer_name: 'payer', description: 'beans' },
  })
  const isSent = async () => (await world.call('GET', '/v1/communication/communications')).body.data.length > 0
  await until('the message of the invitation', isSent, 60_000)
}

/** Columns that hold words of people, receivers, payers and programs. */
const columns = [
  'description',
  'destination_url',
  'error_detail',
  'external_reference',
  'label',
  'name',
  'recipient',
  'subject',
  'text',
  'user_agent',
]

/** Replaces these columns in the rows of the tenant. */
async function poison(service: Service): Promise<void> {
  await withClient(world.platform.databases[service].ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    const { rows } = await owner.query(
      `SELECT c.table_name AS table, c.column_name AS column FROM information_schema.columns c
       JOIN information_schema.columns t ON t.table_name = c.table_name AND t.column_name = 'tenant_id'
       JOIN pg_class r ON r.relname = c.table_name AND r.relkind IN ('r', 'p') AND NOT r.relispartition
       WHERE c.table_schema = 'public' AND c.data_type = 'text' AND c.column_name = ANY($1)`,
      [columns],
    )
    for (const { table, column } of rows) {
      // The number of the row keeps unique names unique.
      const text = `$1 || ' ' || ctid::text`
      await owner.query(`UPDATE "${table}" SET "${column}" = ${text} WHERE tenant_id = $2`, [
        hostile,
        world.tenant.tenant_id,
      ])
    }
  })
}

const first = async (path: string, field = 'id') => (await world.call('GET', `${path}?limit=1`)).body.data[0][field]

const pages = {
  home: async () => '',
  transactions: async () => '/transactions',
  transaction: async () => `/transactions/${await first('/v1/payment-proxy/transactions')}`,
  invitations: async () => '/invitations',
  invitation: async () => `/invitations/${await first('/v1/invite-to-pay/codes')}`,
  units: async () => '/units',
  unit: async () => `/units/${unitId}`,
  messages: async () => '/messages',
  templates: async () => '/templates',
  subscriptions: async () => '/subscriptions',
  subscription: async () => `/subscriptions/${unitId}/${await first(`/v1/webhooks/${unitId}/webhooks`)}`,
  delivery: async () => `/deliveries/${unitId}/${await first('/v1/webhooks/deliveries')}`,
  'dead letters': async () => '/dead-letters?group_by=subscription',
  'a dead letter': async () => `/dead-letters/${await first('/v1/webhooks/dead-letters')}`,
  event: async () => `/events/${await first('/v1/webhooks/events', 'tenant_event_id')}`,
  'auth infos': async () => '/auth-infos',
  keys: async () => '/keys',
  key: async () => `/keys/${await first('/v1/api-key/keys')}`,
  roles: async () => '/roles',
  users: async () => '/users',
  user: async () => `/users/${await first('/v1/identity/users')}`,
  audit: async () => '/audit?operation=listRoles&client=none',
  account: async () => '/account',
  'a filter of the URL': async () => `/deliveries?tenant_event_id=${encodeURIComponent(hostile.slice(0, 4_000))}`,
} as const

test('there are 200 payloads', () => {
  expect(new Set(payloads).size).toBe(200)
})

describe.each(Object.entries(pages))('%s', (name, createPath) => {
  test('shows the texts of others as text', async () => {
    const { page } = ada
    await page.goto(`${world.platform.gatewayUrl}/console${await createPath()}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    for (const each of await page.getByText('Loading …').all()) await each.waitFor({ state: 'detached' })
    if (name === 'audit') await page.getByRole('button', { name: 'Details' }).first().click()
    await page.getByText('window.__xss=1').filter({ visible: true }).first().waitFor()
    expect(await page.evaluate('window.__xss')).toBeUndefined()
    expect(await page.evaluate(injected)).toEqual([])
    const text = await page.locator('body').innerText()
    // Control and bidirectional characters are shown as escapes.
    for (const raw of ['\u0007', '\u001b', '\u202c', '\u202e', '\u2066']) expect(text).not.toContain(raw)
  }, 120_000)
})

test('no request was refused, no script failed, and nothing came from elsewhere', () => {
  expect(ada.faults).toEqual([])
})

/** Elements and addresses that only a payload can have made. */
const injected = `[...document.querySelectorAll('iframe, object, embed, base, meta[http-equiv], img, video, math, [srcdoc], marquee')]
  .concat([...document.querySelectorAll('a[href], form[action]')].filter((element) =>
    !/^https?:/.test(element.href ?? element.action) || (element.href ?? element.action).includes('evil')))
  .concat([...document.querySelectorAll('main *')].filter((element) =>
    [...element.attributes].some(({ name }) => name.startsWith('on'))))
  .map((element) => element.outerHTML.slice(0, 200))`

/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { withClient } from '@payments/devkit/servers/databases'
import { type Browser, openBrowser } from '@payments/testing/peers/browser'
import { type Received, type Receiver, receiver } from '@payments/testing/peers/receiver'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { Webhook } from 'standardwebhooks'
import { createInvitations, eventually, type Invitations } from './invitations.ts'
import { type Call, callPayctl, createCaller, type Onboarded, onboard } from './tenant.ts'

/**
 * Invitations to pay, end to end: a tenant creates a code, a payer opens its link in a real browser and pays, and the
 * tenant's webhook and the payer's mailbox hear of it.
 */
const platform = sharedPlatform()
let browser: Browser
let webhook: Receiver
let tenant: Onboarded
let call: Call
let secret: string
let invitations: Invitations

beforeAll(async () => {
  browser = await openBrowser()
  webhook = await receiver()
  tenant = await onboard(platform, 'Berlin Coffee')
  call = createCaller(platform, tenant.api_key.value, tenant.tenant_id)
  invitations = createInvitations(platform, tenant, call)
  const subscriptions = `/v1/webhooks/${tenant.business_unit_id}/webhooks`
  const created = await call('POST', subscriptions, { destination_url: `${webhook.url}/hook` })
  secret = (await call('GET', `${subscriptions}/${created.body.id}/reveal`)).body.secret
}, 240_000)

afterAll(async () => {
  await browser?.close()
  await webhook?.close()
}, 120_000)

const read = async (path: string) => (await call('GET', path)).body
const readCode = (id: string) => read(`/v1/invite-to-pay/codes/${id}`)
const readTransaction = (id: string) => read(`/v1/payment-proxy/transactions/${id}`)

async function readLedger(transactionId: string): Promise<string[]> {
  const { data } = await read(`/v1/payment-proxy/sandbox/operations?transaction_id=${transactionId}`)
  return data.map(({ type, state }: { type: string; state: string }) => `${type} ${state}`).sort()
}

async function open(url: string) {
  const context = await browser.newContext({ javaScriptEnabled: false, locale: 'en-GB' })
  const page = await context.newPage()
  await page.goto(url)
  return { ...pageActions(page), close: () => context.close() }
}

type Page = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['newPage']>>

const pageActions = (page: Page) => ({
  heading: () => page.getByRole('heading', { level: 1 }).textContent(),
  text: () => page.locator('body').innerText(),
  /** The page of a payment in progress loads itself again. */
  completed: () => page.getByRole('heading', { level: 1, name: 'Payment complete' }).waitFor({ timeout: 60_000 }),
  pay: async (token = 'tok_sandbox_visa') => {
    await page.locator('details').evaluateAll((all) => {
      for (const one of all) one.setAttribute('open', '')
    })
    await Promise.all([page.waitForEvent('load'), page.locator(`button[value="${token}"]`).click()])
  },
})

const readType = ({ body }: Received) => JSON.parse(body.toString('utf8')).event_type as string

/** The events of a code or transaction that have arrived, each with a valid signature. */
function eventsAbout(id: string): { type: string; payload: any }[] {
  const all = webhook.received.filter(({ body }) => body.includes(id))
  return all.map((received) => {
    const verified = new Webhook(secret).verify(received.body, received.headers as Record<string, string>)
    return { type: readType(received), payload: (verified as { metadata: { payload: unknown } }).metadata.payload }
  })
}

const statusBecomes = (id: string, status: string) =>
  eventually(async () => {
    const code = await readCode(id)
    return code.status === status ? code : undefined
  })

/** Moves the end of a code to `seconds` from now. */
async function expireIn(id: string, seconds: number): Promise<void> {
  await withClient(platform.databases['invite-to-pay'].ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    const { rowCount } = await owner.query(
      `UPDATE codes SET expires_at = now() + make_interval(secs => $2) WHERE id = $1`,
      [id, seconds],
    )
    expect(rowCount).toBe(1)
  })
}

test('a link that is opened twice at once is paid once; webhooks and a receipt follow', async () => {
  const code = await invitations.createCode({ communication_details: { payer_name: 'Ada', description: 'Order 4711' } })
  const link = await invitations.linkFor(code.recipient)
  expect(code.url).toBe(link)
  const [one, other] = await Promise.all([open(link), open(link)])
  expect(await one.text()).toMatch(/€39\.98/)
  await Promise.all([one.pay(), other.pay()])
  const paid = await statusBecomes(code.id, 'completed')
  expect(await readTransaction(code.transaction_id)).toMatchObject({ status: 'captured', i2p: true })
  expect(await readLedger(code.transaction_id)).toEqual(['authorize succeeded', 'capture succeeded'])

  const again = await open(link)
  await again.completed()
  const [invitation, receipt, ...more] = await invitations.messagesFor(code.recipient, 2)
  expect([invitation?.text, receipt?.subject]).toEqual([
    expect.stringContaining('Ada'),
    expect.stringMatching(/receipt/i),
  ])
  expect(more).toEqual([])

  const expected = [
    'invite-to-pay.codes.create',
    'payment-proxy.transactions.create',
    'payment-proxy.transactions.authorize.and.capture',
  ]
  await eventually(() => {
    const types = [...eventsAbout(code.id), ...eventsAbout(code.transaction_id)].map(({ type }) => type)
    return expected.every((type) => types.includes(type)) ? types : undefined
  })
  await eventually(() =>
    eventsAbout(code.id).find(
      ({ payload }) => payload.code?.status === 'completed' && payload.version === paid.version,
    ),
  )
  await eventually(() => {
    const sent = webhook.received.filter(
      (received) =>
        readType(received) === 'communication.communications.send' && received.body.includes(code.recipient),
    )
    return sent.length === 2 ? sent : undefined
  })
  await Promise.all([one, other, again].map((page) => page.close()))
}, 180_000)

test('a declined payer sees the decline, and pays with another card', async () => {
  const code = await invitations.createCode()
  const page = await open(await invitations.linkFor(code.recipient))
  await page.pay('tok_sandbox_insufficient_funds')
  expect(await page.text()).toMatch(/declined|did not go through/i)
  expect((await readCode(code.id)).status).toBe('active')
  await page.pay()
  await page.completed()
  expect(await readLedger(code.transaction_id)).toEqual([
    'authorize declined',
    'authorize succeeded',
    'capture succeeded',
  ])
  await page.close()
}, 180_000)

test('an expired link takes no payment, also from a page that was opened before; sent again, it is paid', async () => {
  const code = await invitations.createCode()
  const link = await invitations.linkFor(code.recipient)
  const page = await open(link)
  await expireIn(code.id, 0)
  await page.pay()
  expect(await page.heading()).toBe('This link has expired')
  await statusBecomes(code.id, 'expired')
  expect(await readLedger(code.transaction_id)).toEqual([])
  await eventually(() => eventsAbout(code.id).find(({ payload }) => payload.code?.status === 'expired'))

  await withClient(platform.databases['invite-to-pay'].ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    await owner.query(`UPDATE codes SET invited_at = invited_at - interval '1 minute' WHERE id = $1`, [code.id])
  })
  const resend = `/v1/payment-proxy/i2p/transactions/${code.transaction_id}/resend`
  const resent = await call('POST', resend)
  expect([resent.status, resent.body.id]).toEqual([202, code.transaction_id])
  expect((await call('POST', resend)).body.code).toBe('resend_too_soon')
  expect(await invitations.linkFor(code.recipient, 2)).toBe(link)
  await eventually(() => eventsAbout(code.id).find(({ type }) => type === 'payment-proxy.i2p.resend'))
  const revived = await open(link)
  await revived.pay()
  await revived.completed()
  await Promise.all([page.close(), revived.close()])
}, 180_000)

test('a code that is canceled while the payer is on the page takes no payment', async () => {
  const code = await invitations.createCode()
  const page = await open(await invitations.linkFor(code.recipient))
  expect((await call('POST', `/v1/invite-to-pay/codes/${code.id}/cancel`)).body.status).toBe('canceled')
  await page.pay()
  expect(await page.heading()).toBe('This link was canceled')
  expect(await readLedger(code.transaction_id)).toEqual([])
  await eventually(() => eventsAbout(code.id).find(({ type }) => type === 'invite-to-pay.codes.cancel'))
  await page.close()
}, 180_000)

test('a link of a suspended tenant takes no payment, also from a page that was opened before', async () => {
  const code = await invitations.createCode()
  const page = await open(await invitations.linkFor(code.recipient))
  expect((await callPayctl(platform, 'tenant', 'suspend', tenant.tenant_id)).code).toBe(0)
  await page.pay()
  expect(await page.heading()).toBe('This page is not available at the moment')
  expect((await callPayctl(platform, 'tenant', 'resume', tenant.tenant_id)).code).toBe(0)
  expect(await readLedger(code.transaction_id)).toEqual([])
  const resumed = await open(await invitations.linkFor(code.recipient))
  await resumed.pay()
  await resumed.completed()
  await Promise.all([page.close(), resumed.close()])
}, 180_000)

test('a transaction with i2p gets a code, whose payment without a known outcome is shown until it is known', async () => {
  const recipient = invitations.nextRecipient()
  const invitation = { communication_type: 'EMAIL', recipient }
  const created = await call('POST', '/v1/payment-proxy/transactions', {
    ...invitations.transaction(),
    i2p: true,
    invitation,
  })
  expect([created.status, created.body.i2p]).toEqual([201, true])
  const page = await open(await invitations.linkFor(recipient))
  await page.pay('tok_sandbox_timeout_applied')
  expect(await page.heading()).toBe('Your payment is in progress')
  const { data } = await read(`/v1/invite-to-pay/codes?transaction_id=${created.body.id}`)
  await call('POST', `/v1/payment-proxy/transactions/${created.body.id}/sync`)
  await statusBecomes(data[0].id, 'completed')
  expect(await readLedger(created.body.id)).toEqual(['authorize succeeded'])
  await page.close()
}, 180_000)

test('unknown codes get one page, which names no merchant', async () => {
  const pages = await Promise.all(
    ['AAAAAAAAAAAAAAAAAAAAAA', 'x', 'A'.repeat(64)].map(async (code) => {
      const response = await fetch(`${platform.gatewayUrl}/pay/${code}`)
      return { status: response.status, html: await response.text() }
    }),
  )
  expect(pages.map(({ status }) => status)).toEqual([404, 404, 404])
  expect(new Set(pages.map(({ html }) => html)).size).toBe(1)
  expect(pages[0]?.html).not.toContain('Berlin Coffee')
})

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createApp } from '../src/app.ts'
import type { Accounts } from '../src/connectors/accounts.ts'
import { applyAll, resumeAll } from './resume-all.ts'
import { signWebhook, stripeFixture } from './stripe-stand-in/fixture.ts'
import type { Intent } from './stripe-stand-in/payment-intents.ts'
import { startWorld, type World } from './world.ts'

const { fixture, at } = stripeFixture()
const returnUrl = 'https://shop.example.com/orders/1'
const challenge = 'pm_card_authenticationRequired'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** A tenant whose unit uses Stripe. `allowPrivate`: the page of the stand-in, on loopback, may be opened. */
const stripeTenant = async (allowPrivate = true) => {
  const { connector, account: newAccount } = fixture()
  const account = newAccount()
  const accounts: Accounts = { find: async (owner) => ({ ...account, ...owner }) }
  const actionRules = { allowPrivate, ownOrigin: 'https://pay.payments.test' }
  const provider = world.createTestProvider(connector, { accounts, actionRules })
  const deps = { ...world.deps, providerCalls: provider }
  const app = createApp(deps)
  const tenant = world.tenant()
  await tenant.storeUnit({ orchestrators: [{ id: tenant.paymentOrchestratorId, payment_gateway: 'stripe' }] })
  const payment_details = { payment_method: 'CREDIT_CARD', cc_token: challenge }
  const path = `/v1/payment-proxy/gateway-webhooks/${tenant.paymentOrchestratorId}`
  return {
    ...tenant,
    ...tenant.through(app),
    pay: (body: object = {}) => tenant.through(app).authorize('', { payment_details, return_url: returnUrl, ...body }),
    stripe: at(account),
    intent: () => at(account).intents[0] as Intent,
    /** Stripe sends its last event. Then the jobs run, without a wait. */
    deliver: async () => {
      const { headers, body } = signWebhook(account, at(account).events[0])
      const sent = { 'Stripe-Signature': headers['stripe-signature'] ?? '', 'Content-Type': 'application/json' }
      const anonymous = world.createCallers(app).asAnonymous()
      expect((await anonymous.send('post', path, body.toString(), sent)).status).toBe(200)
      await applyAll(deps)
      await resumeAll(deps)
    },
  }
}

test('a webhook ends a confirmed payment with its card and its authentication', async () => {
  const tenant = await stripeTenant()
  const { status, body } = await tenant.pay()
  expect([status, body.pending_operation.state]).toEqual([202, 'action_required'])
  tenant.stripe.decide(tenant.intent().id, 'confirm')
  await tenant.deliver()
  const { body: after } = await tenant.read(body.id)
  expect([after.status, after.operations[0].authentication?.result]).toEqual(['authorized', 'authenticated'])
  expect(after.payment_method).toMatchObject({ brand: 'visa', last4: '4242' })
  expect((await tenant.capture(body.id)).status).toBe(200)
})

test('a webhook ends a declined payment, which is canceled at Stripe', async () => {
  const tenant = await stripeTenant()
  const { body } = await tenant.pay()
  tenant.stripe.decide(tenant.intent().id, 'fail')
  await tenant.deliver()
  const { body: after } = await tenant.read(body.id)
  expect([after.status, after.last_error.decline_code]).toEqual(['failed', 'authentication_failed'])
  expect(tenant.intent().status).toBe('canceled')
})

test('the parameters of the address to return to prove nothing', async () => {
  const tenant = await stripeTenant()
  const { body } = await tenant.pay()
  tenant.stripe.decide(tenant.intent().id, 'fail')
  const back = new URL(tenant.stripe.decide(tenant.intent().id, 'fail'))
  expect([...back.searchParams.keys()].sort()).toEqual([
    'payment_intent',
    'payment_intent_client_secret',
    'redirect_status',
  ])
  expect((await tenant.sync(body.id)).body.status).toBe('failed')
})

test('a page that no browser should open is not passed on, and ends at Stripe', async () => {
  const tenant = await stripeTenant(false)
  const { status, body } = await tenant.pay()
  expect([status, body.decline_code]).toEqual([402, 'authentication_canceled'])
  expect(tenant.intent().status).toBe('canceled')
  expect(JSON.stringify((await tenant.read(body.transaction_id)).body)).not.toContain('/3ds/')
})

test('a void while the payer decides cancels at Stripe', async () => {
  const tenant = await stripeTenant()
  const { body } = await tenant.pay()
  const { body: voided } = await tenant.void(body.id)
  expect([voided.status, voided.operations[0].error.decline_code]).toEqual(['voided', 'authentication_canceled'])
  expect(tenant.intent()).toMatchObject({ status: 'canceled', cancellation_reason: 'requested_by_customer' })
})

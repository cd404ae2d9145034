import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from '@jest/globals'
import { createHttpClient, type HttpClient } from '@payments/egress/http-client'
import type { Account, WebhookRequest } from '../../src/connectors/connector.ts'
import { createStripeConnector } from '../../src/connectors/stripe/stripe-connector.ts'
import type { ConnectorFixture } from '../connector-payment.ts'
import type { StripeAccount } from './payment-intents.ts'
import { startStripe } from './server.ts'

/** The stand-in of Stripe for the tests of a file, its accounts, and a connector that calls it. */
export function stripeFixture() {
  let stripe: Awaited<ReturnType<typeof startStripe>>
  let client: HttpClient
  const accounts = new Map<string, StripeAccount>()
  beforeAll(async () => {
    stripe = await startStripe()
    client = createHttpClient({ allowPrivate: true })
  })
  afterAll(async () => {
    client.close()
    await stripe.close()
  })
  const at = ({ credentials }: Account): StripeAccount => {
    const account = accounts.get(credentials['secret_key'] ?? '')
    if (account === undefined) throw new Error('Stripe has no such account')
    return account
  }
  const fixture = (): ConnectorFixture => ({
    connector: createStripeConnector(client),
    account: () => {
      const { key, account } = stripe.account()
      accounts.set(key, account)
      return accountAt(stripe.url, { secret_key: key, webhook_secret: `whsec_${randomUUID()}` })
    },
    effects: async (account, id) => effectsIn(at(account), id),
    webhook: (account, { reference }, agoMs = 0) => {
      const event = at(account).events.find(({ data }) => data.object.id === reference)
      return signWebhook(account, event, agoMs)
    },
    decide: async (account, id, decision) => {
      const intent = at(account).intents.find((one) => one.metadata['operation_id'] === id)
      const body = new URLSearchParams({ decision: decision === 'confirm' ? 'confirm' : 'fail' })
      const { status } = await fetch(`${stripe.url}/3ds/${intent?.id}`, { method: 'POST', body, redirect: 'manual' })
      if (status !== 303) throw new Error(`the page of 3-D Secure responded with ${status}`)
    },
  })
  return { fixture, at, url: () => stripe.url, calls: () => stripe.calls }
}

function accountAt(gatewayUrl: string | null, credentials: Account['credentials']): Account {
  const ids = { tenantId: randomUUID(), businessUnitId: randomUUID(), paymentOrchestratorId: randomUUID() }
  return { ...ids, connector: 'stripe', mode: 'test', gatewayUrl, settings: {}, credentials, name: 'account' }
}

/** A canceled PaymentIntent has no effect. */
function effectsIn({ intents, refunds }: StripeAccount, id: string): number {
  const authorized = intents.filter(
    (one) => one.metadata['operation_id'] === id && one.latest_charge !== null && one.status !== 'canceled',
  )
  const captured = intents.filter((one) => one.metadata['capture_operation_id'] === id)
  const refunded = refunds.filter((one) => one.metadata['operation_id'] === id)
  return authorized.length + captured.length + refunded.length
}

export function signWebhook({ credentials }: Account, event: unknown, agoMs = 0): WebhookRequest {
  const body = Buffer.from(JSON.stringify(event))
  const timestamp = Math.floor((Date.now() - agoMs) / 1000)
  const secret = credentials['webhook_secret'] ?? 'none'
  const signature = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
  const headers = { 'stripe-signature': `t=${timestamp},v1=${'0'.repeat(64)},v1=${signature},v0=x` }
  return { headers, body, receivedAt: new Date() }
}

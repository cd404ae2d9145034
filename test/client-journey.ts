import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { createClient, type PaymentServiceClient } from '@payments/client'
import { PaymentServiceError } from '@payments/client/errors'
import { verifyWebhook, WebhookVerificationError } from '@payments/client/webhooks'
import { root } from '@payments/devkit/machine/profile'
import { receiver } from '@payments/testing/peers/receiver'
import type { Platform } from '@payments/testing/platform/local-stack'
import { type Onboarded, onboard } from './tenant.ts'

/** The main flow of a tenant that uses packages/client only. A test that has a running stack includes these tests. */
export function clientJourney(stack: () => Platform): void {
  let tenant: Onboarded
  let unit: string
  let payments: PaymentServiceClient

  const payment = (token = 'tok_sandbox_visa') => ({
    business_unit_id: unit,
    currency: 'EUR',
    amount: 1999,
    payment_details: { payment_method: 'CREDIT_CARD' as const, cc_token: token },
  })

  test('the client: a key that it creates and gives a role calls the API', async () => {
    tenant = await onboard(stack(), 'Client')
    unit = tenant.business_unit_id
    const connection = { baseUrl: stack().gatewayUrl, tenantId: tenant.tenant_id }
    const admin = createClient({ ...connection, credential: tenant.api_key.value })
    const key = await admin.createKey({ body: { name: 'Shop' } })
    const role_ids = []
    for await (const role of admin.listRoles()) if (role.name === 'admin') role_ids.push(role.id)
    await admin.assignRoles({ api_key_id: key.id, body: { role_ids } })
    payments = createClient({ ...connection, credential: key.value })
    expect(await payments.readOwnKey()).toMatchObject({ id: key.id, tenant_id: tenant.tenant_id })
  })

  test('the client: pays once for one Idempotency-Key, and throws a declined card as a typed error', async () => {
    const idempotencyKey = randomUUID()
    const first = await payments.createAndAuthorizeTransaction({ body: payment() }, { idempotencyKey })
    const again = await payments.createAndAuthorizeTransaction({ body: payment() }, { idempotencyKey })
    expect([first.status, again]).toEqual(['authorized', first])

    const traceId = randomUUID()
    const declined = payments.createAndAuthorizeTransaction(
      { body: payment('tok_sandbox_insufficient_funds') },
      { traceId },
    )
    const error = await declined.catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(PaymentServiceError)
    expect(error).toMatchObject({
      status: 402,
      code: 'payment_declined',
      traceId,
      problem: { decline_code: 'insufficient_funds' },
    })
    const invalid = payments.createTransaction({ body: { business_unit_id: unit, currency: 'EUR', amount: -1 } })
    await expect(invalid).rejects.toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/amount' }] })
  })

  test('the client: iterates over lists of several pages', async () => {
    const body = { business_unit_id: unit, currency: 'EUR', amount: 500 }
    await Promise.all([1, 2, 3].map(() => payments.createTransaction({ body })))
    const whole = await payments.listTransactions({ business_unit_id: unit, limit: 200 }).page()
    expect(whole.data.length).toBeGreaterThan(4)
    const ids = []
    for await (const { id } of payments.listTransactions({ business_unit_id: unit, limit: 2 })) ids.push(id)
    expect(ids).toEqual(whole.data.map(({ id }) => id))
  })

  test('the client: verifies the webhook of a capture with each secret of a rotation, and rejects a changed body', async () => {
    const shop = await receiver()
    const { id } = await payments.createSubscription({
      business_unit_id: unit,
      body: { destination_url: `${shop.url}/hook`, event_types: ['payment-proxy.transactions.capture'] },
    })
    const subscription = { business_unit_id: unit, bu_webhook_id: id }
    const secrets = [(await payments.revealSubscription(subscription)).secret]
    await payments.rotateSubscriptionSecret({ ...subscription, body: { grace_period_seconds: 600 } })
    secrets.push((await payments.revealSubscription(subscription)).secret)
    expect(new Set(secrets).size).toBe(2)

    const authorized = await payments.createAndAuthorizeTransaction({ body: payment() })
    await payments.captureTransaction({ transaction_id: authorized.id, body: {} })
    const [received] = await shop.waitFor(() => true, { timeoutMs: 60_000 })
    if (received === undefined) throw new Error('unreachable: waitFor returns at least one request')
    for (const secret of secrets) {
      const event = await verifyWebhook(received.body, received.headers, secret)
      if (event.event_type !== 'payment-proxy.transactions.capture') throw new Error(event.event_type)
      expect(event.metadata.payload.transaction).toMatchObject({ id: authorized.id, status: 'captured' })
    }
    const changed = received.body.toString('utf8').replace('1999', '1998')
    const forged = verifyWebhook(changed, received.headers, secrets)
    await expect(forged).rejects.toBeInstanceOf(WebhookVerificationError)
    await payments.deleteSubscription(subscription)
    await shop.close()
  })

  test('the client: its example pays, captures and verifies a webhook', async () => {
    const env = {
      PATH: process.env['PATH'],
      API: `${stack().gatewayUrl}/v1`,
      TENANT: tenant.tenant_id,
      UNIT: unit,
      KEY: tenant.api_key.value,
    }
    const program = join(root, 'packages/client/examples/payment-and-webhook.mjs')
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program], { env, timeout: 80_000 })
    expect(stderr).toBe('')
    const [, id] = /^authorized (\S+)$/m.exec(stdout) ?? []
    expect(stdout).toContain(`listed ${id}: authorized, 1999 EUR\n`)
    expect(stdout).toContain('captured 1500 of 1999\n')
    expect(stdout).toContain(`verified payment-proxy.transactions.capture of ${id}\n`)
  })
}

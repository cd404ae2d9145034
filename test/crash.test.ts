import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { constellation, type TestConstellation } from '@payments/testing/constellation'
import { type Receiver, receiver } from '@payments/testing/receiver'
import { type Call, callerOf, type Onboarded, onboard } from './tenant.ts'

/**
 * Nothing committed is lost when processes are killed with -9 in the middle of their work: the dispatcher, which holds
 * deliveries in flight, and payment-proxy, which holds the relay of its outbox.
 */
const paymentsMax = 120
const workers = 4

let platform: TestConstellation
let endpoint: Receiver
let tenant: Onboarded
let call: Call

beforeAll(async () => {
  platform = await constellation()
  endpoint = await receiver()
  tenant = await onboard(platform, 'Acme')
  call = callerOf(platform, tenant.api_key.value, tenant.tenant_id)
  const created = await call('POST', `/v1/webhooks/${tenant.business_unit_id}/webhooks`, {
    destination_url: endpoint.url,
  })
  expect(created.status).toBe(201)
}, 120_000)

afterAll(async () => {
  await endpoint.close()
  await platform.stop()
}, 60_000)

/** Pays until told to stop; what is refused while a process is down is not retried. */
async function payUntil(done: () => boolean): Promise<void> {
  const body = {
    business_unit_id: tenant.business_unit_id,
    currency: 'EUR',
    amount: 1999,
    payment_details: { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' },
  }
  for (let i = 0; i < paymentsMax && !done(); i++) await call('POST', '/v1/payment-proxy/transactions/authorize', body)
}

/** Every transaction that was committed, whatever its caller was told. */
async function ledger(): Promise<{ id: string; status: string }[]> {
  const all: { id: string; status: string }[] = []
  for (let path = '?limit=200'; ; ) {
    const { body } = await call('GET', `/v1/payment-proxy/transactions${path}`)
    all.push(...body.data)
    if (body.next_cursor === null) return all
    path = `?limit=200&cursor=${body.next_cursor}`
  }
}

const arrived = (type: string) =>
  new Set(
    endpoint.received
      .map((one) => JSON.parse(one.body.toString('utf8')))
      .filter((message) => message.event_type === `payment-proxy.transactions.${type}`)
      .map((message) => message.metadata.payload.transaction.id as string),
  )

test.each(['webhooks-dispatcher', 'payment-proxy'] as const)(
  'killed in the middle of its work, %s loses no committed event',
  async (victim) => {
    let done = false
    const before = endpoint.received.length
    const load = Array.from({ length: workers }, () => payUntil(() => done))
    await endpoint.waitFor(() => true, { count: before + 20, timeoutMs: 20_000 })
    await platform.kill(victim, 'SIGKILL')
    await platform.restart(victim)
    await endpoint.waitFor(() => true, { count: endpoint.received.length + 20, timeoutMs: 60_000 })
    done = true
    await Promise.all(load)

    const transactions = await ledger()
    const authorized = transactions.filter(({ status }) => status === 'authorized').map(({ id }) => id)
    const missing = () => [
      ...transactions.filter(({ id }) => !arrived('create').has(id)).map(({ id }) => `create ${id}`),
      ...authorized.filter((id) => !arrived('authorize').has(id)).map((id) => `authorize ${id}`),
    ]
    const deadline = Date.now() + 60_000
    while (missing().length > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 200))
    expect(authorized.length).toBeGreaterThan(10)
    expect(missing()).toEqual([])
  },
  180_000,
)

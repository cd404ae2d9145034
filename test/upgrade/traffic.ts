import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createLoad, type Load } from '../faults/runner/load.ts'
import type { Onboarded } from '../tenant.ts'
import { openClient, type Send } from './client.ts'

/** Requests of one tenant, which run during the whole upgrade. */
export interface Traffic extends Pick<Load, 'start' | 'ended'> {
  /** Ends the traffic and returns the failed requests. */
  readonly stop: () => Promise<string[]>
  /** How often each kind of work succeeded. */
  readonly counts: () => Readonly<Record<Kind, number>>
}

type Kind = 'payment' | 'key' | 'list'

/** Of six clients, four pay, one works with API keys, and one reads. */
const kinds: readonly Kind[] = ['payment', 'key', 'payment', 'list', 'payment', 'payment']
/** Leaves the processor to the processes that start. */
const pauseMs = 150
const amount = 10_000

export function createTraffic(port: number, tenant: Onboarded): Traffic {
  const clients = kinds.map(() => openClient(port, tenant.tenant_id))
  const counts = { payment: 0, key: 0, list: 0 }
  const works = { payment: pay, key: useKey, list }
  const load = createLoad(async (number) => {
    // In rotation, so that no connection is idle for long.
    const client = clients.shift() ?? openClient(port, tenant.tenant_id)
    const kind = kinds[number % kinds.length] ?? 'payment'
    try {
      await works[kind](client.send, tenant)
      counts[kind] += 1
    } finally {
      clients.push(client)
    }
    await delay(pauseMs)
  })
  return {
    start: load.start,
    ended: load.ended,
    counts: () => ({ ...counts }),
    async stop() {
      const failed = await load.stop().then(
        () => [],
        (error: AggregateError) => error.errors.map(String),
      )
      for (const client of clients) client.close()
      return failed
    },
  }
}

async function pay(send: Send, tenant: Onboarded): Promise<void> {
  const transactions = '/v1/payment-proxy/transactions'
  const key = tenant.api_key.value
  const post = (path: string, expected: number, body: object) =>
    send({ method: 'POST', path: `${transactions}${path}`, body, key, expected })
  const { id } = await post('/authorize', 201, {
    business_unit_id: tenant.business_unit_id,
    currency: 'EUR',
    amount,
    external_reference: randomUUID(),
    payment_details: { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' },
  })
  await post(`/${id}/capture`, 200, { amount: amount / 2 })
  await post(`/${id}/refund`, 200, { amount: amount / 4 })
}

/** Creates, reveals, uses and deletes an API key. The key reveals itself: the number of reveals of a key is limited. */
async function useKey(send: Send, tenant: Onboarded): Promise<void> {
  const keys = '/v1/api-key/keys'
  const admin = tenant.api_key.value
  const body = { name: `Upgrade ${randomUUID()}` }
  const { id, value } = await send({ method: 'POST', path: keys, body, key: admin, expected: 201 })
  const roles = { role_ids: tenant.roles.filter(({ name }) => name === 'admin').map((role) => role.id) }
  await send({ method: 'PUT', path: `${keys}/${id}/roles`, body: roles, key: admin, expected: 200 })
  const revealed = await send({ method: 'GET', path: `${keys}/${id}/reveal`, key: value, expected: 200 })
  if (revealed.value !== value) throw new Error(`the API key ${id} was revealed with another value`)
  await send({ method: 'DELETE', path: `${keys}/${id}`, key: admin, expected: 204 })
  await send({ method: 'GET', path: `${keys}/self`, key: value, expected: 401 })
}

async function list(send: Send, { business_unit_id: unit, api_key: { value: key } }: Onboarded): Promise<void> {
  for (const path of [
    `/v1/webhooks/${unit}/deliveries?limit=5`,
    '/v1/rbac/roles',
    '/v1/business-unit/business-units',
    '/v1/communication/communications?limit=5',
    '/v1/invite-to-pay/codes?limit=5',
    '/v1/audit/records?limit=5',
  ])
    await send({ method: 'GET', path, key, expected: 200 })
}

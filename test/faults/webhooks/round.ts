import { randomUUID } from 'node:crypto'
import { createLoad } from '../runner/load.ts'
import type { Checked, Fault, Round } from '../runner/runner.ts'
import { type Behaviour, fails, flaky, ok } from './endpoint.ts'
import { untilSettled, wrongDeadLetters } from './invariant.ts'
import type { Tenant, World } from './world.ts'

/** A subscription with the fields from which the test computes matching. */
export interface Tracked {
  readonly id: string
  /** Name of its destination at the endpoint. */
  readonly name: string
  readonly tenant: Pick<Tenant, 'tenant_id' | 'business_unit_id'>
  readonly eventTypes: readonly string[] | null
  /** False for a subscription that is created or deleted during the load: an event may or may not match. */
  readonly always: boolean
  /** False for a destination whose requests the test cannot see. */
  readonly visible: boolean
}

/** A subscription that the test can change through the gateway. */
export interface Subscribed extends Tracked {
  readonly tenant: Tenant
}

interface Subscribing {
  readonly eventTypes?: readonly string[]
  readonly enabled?: boolean
  readonly behaviour?: Behaviour
  readonly always?: boolean
  /** Another destination, whose requests the test cannot see. */
  readonly url?: string
  readonly tenant?: Tenant
}

/** One fault, with its own subscriptions. */
export interface WebhookRound extends Round<World> {
  readonly subscriptions: readonly Subscribed[]
  readonly subscribe: (kind: string, given?: Subscribing) => Promise<Subscribed>
  /** Subscriptions of other tenants, which the fault adds. */
  readonly others: Tracked[]
  /** Makes `count` payments of the first tenant, each accepted. */
  readonly pay: (count: number) => Promise<void>
  /** Other measurements, which the fault adds. */
  readonly notes: string[]
}

export type WebhookFault = Fault<WebhookRound>

/** Two clients per tenant. A rejected call is neither counted nor repeated: the gateway or a service is down. */
const pace = { clients: 4, pauseMs: 100 }
let rounds = 0

export async function beginRound(world: World): Promise<WebhookRound> {
  rounds += 1
  const { tenants, endpoint, ledger } = world
  const [first] = tenants
  const prefix = `round${rounds}`
  const subscriptions: Subscribed[] = []
  const subscribe: WebhookRound['subscribe'] = async (kind, given = {}) => {
    const { tenant = first, eventTypes = null, enabled = true, behaviour = ok, always = true, url } = given
    const name = `${prefix}-${kind}-${subscriptions.length}`
    endpoint.behave(name, behaviour)
    const { status, body } = await tenant.call('POST', subscriptionsPath(tenant), {
      destination_url: url?.replace('NAME', name) ?? endpoint.buildUrl(name),
      event_types: eventTypes,
      enabled,
    })
    if (status !== 201) throw new Error(`no subscription: ${status} ${JSON.stringify(body)}`)
    const visible = url === undefined || url.includes('NAME')
    const one = { id: body.id as string, name, tenant, eventTypes, always, visible }
    subscriptions.push(one)
    return one
  }
  for (const tenant of tenants) {
    await subscribe('healthy', { tenant })
    await subscribe('filtered', { tenant, eventTypes: ['payment-proxy.transactions.authorize', 'api-key.*'] })
    await subscribe('flaky', { tenant, eventTypes: ['payment-proxy.*'], behaviour: flaky() })
    await subscribe('failing', { tenant, eventTypes: ['payment-proxy.*'], behaviour: fails })
    await subscribe('disabled', { tenant, eventTypes: ['payment-proxy.transactions.create'], enabled: false })
  }
  const from = await ledger.mark()
  const others: Tracked[] = []
  const notes: string[] = []
  const load = createLoad(async (number) => {
    const response = await callNumber(number, tenants).catch(() => undefined)
    return response?.status === 201
  }, pace)
  const pay = async (count: number) => {
    for (let made = 0; made < count; made += 1) {
      const { status, body } = await authorize(first)
      if (status !== 201) throw new Error(`no payment: ${status} ${JSON.stringify(body)}`)
    }
  }
  const check = async (): Promise<Checked> => {
    const events = await ledger.between(from, await ledger.mark())
    const { broken, ...measured } = await untilSettled(world, [...subscriptions, ...others], events)
    const wrong = await wrongDeadLetters(world)
    await removeAll(subscriptions)
    return { measured, broken: [...broken, ...wrong], notes }
  }
  return { world, load, check, subscriptions, subscribe, others, pay, notes }
}

const subscriptionsPath = ({ business_unit_id }: Tenant) => `/v1/webhooks/${business_unit_id}/webhooks`

async function removeAll(subscriptions: readonly Subscribed[]): Promise<void> {
  for (const { tenant, id, always } of subscriptions) {
    const { status } = await tenant.call('DELETE', `${subscriptionsPath(tenant)}/${id}`)
    if (status !== 204 && always) throw new Error(`a subscription was not deleted: ${status}`)
  }
}

function authorize({ call, business_unit_id }: Tenant) {
  return call('POST', '/v1/payment-proxy/transactions/authorize', {
    business_unit_id,
    currency: 'EUR',
    amount: 1999,
    payment_details: { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' },
  })
}

/** The tenants in rotation. Every eighth call of a tenant emits an event of all of it, in api-key or rbac. */
function callNumber(number: number, [first, second]: World['tenants']) {
  const tenant = number % 2 === 0 ? first : second
  const own = Math.floor(number / 2) % 16
  if (own === 7) return tenant.call('POST', '/v1/api-key/keys', { name: `key ${number}` })
  if (own !== 15) return authorize(tenant)
  const role = { name: `role ${randomUUID()}`, permissions: ['apikey:ReadKey'] }
  return tenant.call('POST', '/v1/rbac/roles', role)
}

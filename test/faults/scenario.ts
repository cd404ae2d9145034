import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Behaviour, fails, flaky, ok } from './endpoint.ts'
import { until } from './until.ts'
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

/** A part of a run, with its own subscriptions and load. */
export interface Scenario {
  readonly world: World
  readonly tenant: Tenant
  readonly tracked: readonly Subscribed[]
  readonly subscribe: (kind: string, given?: Subscribing) => Promise<Subscribed>
  /** Starts payments and, at times, events of the whole tenant. */
  readonly startLoad: () => void
  /** Resolves when `count` more calls were accepted. */
  readonly accepted: (count: number) => Promise<void>
  readonly stopLoad: () => Promise<void>
  /** Makes `count` payments of the first tenant, each accepted. */
  readonly pay: (count: number) => Promise<void>
  /** Deletes the subscriptions. */
  readonly close: () => Promise<void>
}

const workersPerTenant = 2
/** Pause between two calls of a worker: the test does not measure speed. */
const paceMs = 100
let scenarios = 0

export async function openScenario(world: World): Promise<Scenario> {
  scenarios += 1
  const prefix = `scenario${scenarios}`
  const tracked: Subscribed[] = []
  const [first] = world.tenants
  if (first === undefined) throw new Error('the world has no tenant')

  const subscribe: Scenario['subscribe'] = async (kind, given = {}) => {
    const { tenant = first, eventTypes = null, enabled = true, behaviour = ok, always = true, url } = given
    const name = `${prefix}-${kind}-${tracked.length}`
    world.endpoint.behave(name, behaviour)
    const { status, body } = await tenant.call('POST', `/v1/webhooks/${tenant.business_unit_id}/webhooks`, {
      destination_url: url?.replace('NAME', name) ?? world.endpoint.urlOf(name),
      event_types: eventTypes,
      enabled,
    })
    if (status !== 201) throw new Error(`no subscription: ${status} ${JSON.stringify(body)}`)
    const visible = url === undefined || url.includes('NAME')
    const one = { id: body.id as string, name, tenant, eventTypes, always, visible }
    tracked.push(one)
    return one
  }
  for (const tenant of world.tenants) {
    await subscribe('healthy', { tenant })
    await subscribe('filtered', { tenant, eventTypes: ['payment-proxy.transactions.authorize', 'api-key.*'] })
    await subscribe('flaky', { tenant, eventTypes: ['payment-proxy.*'], behaviour: flaky() })
    await subscribe('failing', { tenant, eventTypes: ['payment-proxy.*'], behaviour: fails })
    await subscribe('disabled', { tenant, eventTypes: ['payment-proxy.transactions.create'], enabled: false })
  }
  const load = loadOn(world)
  return {
    world,
    tenant: first,
    tracked,
    subscribe,
    startLoad: load.start,
    accepted: load.accepted,
    stopLoad: load.stop,
    async pay(count) {
      for (let made = 0; made < count; made += 1) {
        const { status, body } = await pay(first)
        if (status !== 201) throw new Error(`no payment: ${status} ${JSON.stringify(body)}`)
      }
    },
    async close() {
      await load.stop()
      for (const { tenant, id, always } of tracked) {
        const { status } = await tenant.call('DELETE', `/v1/webhooks/${tenant.business_unit_id}/webhooks/${id}`)
        if (status !== 204 && always) throw new Error(`a subscription was not deleted: ${status}`)
      }
    },
  }
}

function pay({ call, business_unit_id }: Tenant) {
  return call('POST', '/v1/payment-proxy/transactions/authorize', {
    business_unit_id,
    currency: 'EUR',
    amount: 1999,
    payment_details: { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' },
  })
}

/** Every eighth call emits an event of the whole tenant, alternately in api-key and rbac. */
function callNumber(number: number, tenant: Tenant) {
  if (number % 16 === 7) return tenant.call('POST', '/v1/api-key/keys', { name: `key ${number}` })
  if (number % 16 !== 15) return pay(tenant)
  const role = { name: `role ${randomUUID()}`, permissions: ['apikey:ReadKey'] }
  return tenant.call('POST', '/v1/rbac/roles', role)
}

/** Workers that call until `stop`. A rejected call is not repeated. */
function loadOn({ tenants }: World) {
  let accepted = 0
  let running = false
  let workers: Promise<void>[] = []
  const work = async (tenant: Tenant) => {
    for (let number = 0; running; number += 1) {
      const took = await callNumber(number, tenant).then(
        ({ status }) => status === 201,
        // The gateway, or a service behind it, is down.
        () => false,
      )
      if (took) accepted += 1
      await delay(took ? paceMs : 100)
    }
  }
  return {
    start() {
      running = true
      workers = tenants.flatMap((tenant) => Array.from({ length: workersPerTenant }, () => work(tenant)))
    },
    async accepted(count: number) {
      const goal = accepted + count
      await until(`${count} calls accepted`, () => accepted >= goal, 60_000)
    },
    async stop() {
      running = false
      await Promise.all(workers.splice(0))
    },
  }
}

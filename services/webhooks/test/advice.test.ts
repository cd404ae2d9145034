import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from '@jest/globals'
import { problems } from '@payments/contracts/services/webhooks/contract'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { adviceSuite } from '@payments/testing/suites/advice'
import { authInfoBody, path as authInfos } from './auth-info-world.ts'
import { ended, letters, startTask } from './dead-letter-world.ts'
import { settled, someEvent, startWorld, subscribe, tenantWithUnit, type World } from './world.ts'

const url = 'https://hooks.example.com/'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld()
  endpoint = await receiver()
})
afterAll(async () => {
  await world.stop()
  await endpoint.close()
})

/** A subscription with one delivered event, and a running dispatcher. */
async function delivered() {
  const { stop } = await world.dispatch()
  const subscribed = await subscribe(world, endpoint.url)
  const event = someEvent(subscribed.tenantId, subscribed.unitId)
  await world.publish(event)
  const { id } = await settled(subscribed, 'delivered')
  const { tenant, unitId } = subscribed
  return { subscribed, event, stop, retry: () => tenant.post(`/v1/webhooks/${unitId}/deliveries/${id}/retry`) }
}

/** A tenant with as many running tasks as it can have. No dispatcher runs them. */
async function busyTenant() {
  const subscribed = await subscribe(world, url)
  const start = () => subscribed.tenant.post(`${letters}/redrive`, { filter: {} })
  const tasks: string[] = []
  for (let count = 0; count < 10; count += 1) tasks.push(await startTask(subscribed, 'redrive', { filter: {} }))
  return { subscribed, start, taskId: tasks[0] ?? '' }
}

adviceSuite(
  problems,
  [
    {
      problem: 'subscription_disabled',
      advice: 'enable the subscription first',
      given: async () => {
        const { subscribed, stop, retry } = await delivered()
        const { tenant, path } = subscribed
        await tenant.put(path, { enabled: false }).expect(200)
        const advised = async () => {
          await tenant.put(path, { enabled: true }).expect(200)
          const reply = await retry()
          await stop()
          return reply
        }
        return { rejected: retry, advised }
      },
    },
    {
      problem: 'subscription_deleted',
      advice: 'create a subscription for the same destination, and recover the events',
      given: async () => {
        const { subscribed, event, stop, retry } = await delivered()
        const { tenant, tenantId, unitId, path } = subscribed
        await tenant.delete(path).expect(204)
        const advised = async () => {
          const next = await subscribe(world, endpoint.url, { tenantId, unitId })
          const at = Date.parse(event.occurred_at)
          const [since, before] = [new Date(at).toISOString(), new Date(at + 1).toISOString()]
          const range = { since, until: before, include_unmatched: true }
          const reply = await tenant.post(`${next.path}/recover`, range)
          await until(async () => {
            const [found] = await next.deliveries(`?subscription_id=${next.id}&status=delivered`)
            return found?.tenant_event_id === event.id
          })
          await stop()
          return reply
        }
        return { rejected: retry, advised }
      },
    },
    {
      problem: 'delivery_in_progress',
      advice: 'read the delivery to see its outcome, and retry it afterwards',
      given: async () => {
        const { subscribed, stop, retry } = await delivered()
        let release = () => {}
        const held = new Promise<void>((resolve) => {
          release = resolve
        })
        endpoint.respondWith(async () => {
          await held
          return { status: 200 }
        })
        await retry().expect(202)
        const advised = async () => {
          release()
          await settled(subscribed, 'delivered')
          const reply = await retry()
          await stop()
          return reply
        }
        return { rejected: retry, advised }
      },
    },
    {
      problem: 'unknown_event_type',
      advice: 'subscribe to one of known_event_types',
      given: async () => {
        const { tenant, unitPath } = await tenantWithUnit(world)
        const create = (event_types: string[]) => tenant.post(unitPath, { destination_url: url, event_types })
        return {
          rejected: () => create(['payment-proxy.transaction.capture']),
          advised: ({ known_event_types }) => create(known_event_types),
        }
      },
    },
    {
      problem: 'too_many_subscriptions',
      advice: 'delete an unused one',
      given: async () => {
        const { tenantId, unitId, tenant, unitPath } = await tenantWithUnit(world)
        const stored = {
          tenantId,
          businessUnitId: unitId,
          destinationUrl: url,
          eventTypes: [],
          secretMasked: 'whsec_…',
        }
        const data = Array.from({ length: 100 }, () => ({ ...stored, id: randomUUID() }))
        await world.db.inTenant(tenantId, (tx) => tx.subscription.createMany({ data }))
        const create = () => tenant.post(unitPath, { destination_url: url })
        const advised = async () => {
          await tenant.delete(`${unitPath}/${data[0]?.id}`).expect(204)
          return create()
        }
        return { rejected: create, advised }
      },
    },
    {
      problem: 'too_many_auth_infos',
      advice: 'delete an unused one',
      given: async () => {
        const tenantId = randomUUID()
        const stored = { tenantId, name: 'a', type: 'basic' as const, configEncrypted: Buffer.from('x') }
        const data = Array.from({ length: 100 }, () => ({ ...stored, configMasked: {}, id: randomUUID() }))
        await world.db.inTenant(tenantId, (tx) => tx.authInfo.createMany({ data }))
        const tenant = world.asTenant(tenantId)
        const create = () => tenant.post(authInfos, authInfoBody('basic'))
        const advised = async () => {
          await tenant.delete(`${authInfos}/${data[0]?.id}`).expect(204)
          return create()
        }
        return { rejected: create, advised }
      },
    },
    {
      problem: 'too_many_tasks',
      advice: 'cancel one',
      given: async () => {
        const { subscribed, start, taskId } = await busyTenant()
        const advised = async () => {
          await subscribed.tenant.post(`${letters}/tasks/${taskId}/cancel`).expect(200)
          return start()
        }
        return { rejected: start, advised }
      },
    },
    {
      problem: 'too_many_tasks',
      advice: 'wait for a task to end',
      given: async () => {
        const { subscribed, start, taskId } = await busyTenant()
        const advised = async () => {
          const { stop } = await world.dispatch()
          await ended(subscribed, taskId)
          const reply = await start()
          await stop()
          return reply
        }
        return { rejected: start, advised }
      },
    },
  ],
  { auth_info_in_use: 'services/webhooks/test/delete-auth-info.test.ts' },
)

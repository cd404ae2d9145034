import { afterEach, expect, test } from '@jest/globals'
import { createTurns } from '@payments/chassis/database/turns'
import { claimDue } from '@payments/chassis/process/claim-loop'
import { until } from '@payments/testing/services/until'
import { dueMessages } from '../src/delivery/loop.ts'
import type { Provider } from '../src/providers/provider.ts'
import type { Claimed } from '../src/store/communications.ts'
import { startWorld, type World } from './world.ts'

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function worldWith(provider?: Provider): Promise<World> {
  const world = await startWorld(provider === undefined ? {} : { provider })
  stops.push(() => world.stop())
  return world
}

/** Queues copies of one message, as if they had been requested long before any other. */
async function flood(world: World, tenantId: string, unitId: string, count: number): Promise<void> {
  await world.rows(
    `INSERT INTO communications (id, tenant_id, business_unit_id, communication_type, recipient, trace_id, provider, content, due_at)
     SELECT gen_random_uuid(), $1::uuid, $2::uuid, 'EMAIL', 'payer@example.com', gen_random_uuid(), 'outbox',
       '{"fromName": "x", "replyTo": null, "subject": "x", "text": "x", "html": null}', now() - interval '1 hour'
     FROM generate_series(1, $3::int) RETURNING 1`,
    tenantId,
    unitId,
    count,
  )
}

const countClaimed = (claimed: readonly Claimed[], tenantId: string) =>
  claimed.filter((one) => one.tenantId === tenantId).length

test('the first claim after 2 000 queued messages of a tenant has the message of another tenant', async () => {
  const world = await worldWith()
  const [flooding, other] = [world.tenant(), world.tenant()]
  await flood(world, flooding.id, flooding.unitId, 2_000)
  await other.send().expect(202)
  const allowance = { limit: 16, perTenantMax: 4, inProgress: new Map() }
  const { claimed } = await claimDue(dueMessages(world.delivery), allowance)
  expect([countClaimed(claimed, flooding.id), countClaimed(claimed, other.id)]).toEqual([4, 1])
})

test('tenants take turns where one attempt ends at a time, and none is claimed beyond its bound', async () => {
  const world = await worldWith()
  const tenants = Array.from({ length: 5 }, () => world.tenant())
  for (const { id, unitId } of tenants) await flood(world, id, unitId, 50)
  const due = dueMessages(world.delivery)
  const claimOne = async (inProgress = new Map<string, number>()) => {
    const { claimed } = await claimDue(due, { limit: 1, perTenantMax: 4, inProgress })
    return claimed[0]?.tenantId ?? ''
  }
  const ids = tenants.map(({ id }) => id).sort()
  const order: string[] = []
  for (let i = 0; i < 15; i += 1) order.push(await claimOne())
  expect(order).toEqual([...ids, ...ids, ...ids])
  const [busy = '', ...rest] = ids
  order.length = 0
  for (let i = 0; i < 8; i += 1) order.push(await claimOne(new Map([[busy, 4]])))
  expect(order).toEqual([...rest, ...rest])
})

test('processes that claim at the same moment claim different messages', async () => {
  const world = await worldWith()
  const tenants = Array.from({ length: 4 }, () => world.tenant())
  for (const { id, unitId } of tenants) await flood(world, id, unitId, 20)
  const claims = await Promise.all(
    Array.from({ length: 8 }, () =>
      claimDue(dueMessages(world.delivery), { limit: 16, perTenantMax: 4, inProgress: new Map() }),
    ),
  )
  const ids = claims.flatMap(({ claimed }) => claimed.map(({ id }) => id))
  expect(ids.length).toBeGreaterThan(16)
  expect(new Set(ids).size).toBe(ids.length)
})

test('a claim does not wait for messages that another process is claiming, and claims the others', async () => {
  const world = await worldWith()
  const tenant = world.tenant()
  await flood(world, tenant.id, tenant.unitId, 6)
  const allowance = { limit: 16, perTenantMax: 4, inProgress: new Map() }
  const claim = () => claimDue(dueMessages(world.delivery), allowance)
  const claimed = await world.db.acrossTenants(async (tx) => {
    const { ids } = await createTurns('communications').lockDue(tx, world.deps.now(), allowance)
    const others = (await claim()).claimed.map(({ id }) => id)
    expect(others.filter((id) => ids.includes(id))).toEqual([])
    return [...ids, ...others]
  })
  expect(claimed).toHaveLength(6)
})

test('while the messages of a tenant wait for a silent provider, those of another one are sent', async () => {
  const sent: string[] = []
  const silentFor = new Set<string>()
  const waiting = { count: 0, max: 0 }
  const provider: Provider = {
    name: 'http',
    send: async ({ tenantId, id }, signal) => {
      if (silentFor.has(tenantId)) {
        waiting.max = Math.max(waiting.max, ++waiting.count)
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        waiting.count -= 1
      } else sent.push(id)
      return { kind: 'accepted', providerMessageId: null }
    },
  }
  const world = await worldWith(provider)
  const [slow, quick] = [world.tenant(), world.tenant()]
  silentFor.add(slow.id)
  await flood(world, slow.id, slow.unitId, 100)
  world.startLoop({ sendTimeoutMs: 5_000 })
  await until(() => waiting.count === 4)
  for (let i = 0; i < 20; i += 1) await quick.send().expect(202)
  await until(() => sent.length === 20)
  expect(waiting.max).toBe(4)
})

test('the queue of a tenant is sent to its end without a pause between claims', async () => {
  const world = await worldWith()
  const tenant = world.tenant()
  await flood(world, tenant.id, tenant.unitId, 200)
  world.startLoop()
  // A pause of a second after each claim of four messages would take 50 s.
  await expect(until(async () => (await tenant.events()).length === 200, 45_000)).resolves.toBeUndefined()
})

test('a template of a tenant is checked before most of sixty that another tenant sent before it', async () => {
  const world = await worldWith()
  const [flooding, other] = [world.tenant(), world.tenant()]
  const html = '<p title="x" lang="en">text</p>'.repeat(900)
  const ended: string[] = []
  const create = async (tenant: typeof other, name: string) => {
    const body = { name, communication_type: 'EMAIL', subject: 'x', text: 'x', html, variables: [] }
    const { status } = await tenant.post('/v1/communication/templates', body)
    ended.push(name)
    return status
  }
  const flood = Array.from({ length: 60 }, () => create(flooding, 'flooding'))
  await until(() => ended.length > 0)
  expect(await create(other, 'other')).toBe(201)
  expect(ended.indexOf('other')).toBeLessThan(30)
  expect(new Set(await Promise.all(flood))).toEqual(new Set([201]))
})

test('a template of a key is checked before most of sixty that another key of its tenant sent before it', async () => {
  const world = await worldWith()
  const { id: tenantId } = world.tenant()
  const html = '<p title="x" lang="en">text</p>'.repeat(900)
  const ended: string[] = []
  const createAs = (name: string) => {
    const key = world.asTenant(tenantId, undefined, { type: 'api_key', id: name })
    return async () => {
      const body = { name, communication_type: 'EMAIL', subject: 'x', text: 'x', html, variables: [] }
      const { status } = await key.post('/v1/communication/templates', body)
      ended.push(name)
      return status
    }
  }
  const flood = Array.from({ length: 60 }, createAs('flooding'))
  await until(() => ended.length > 0)
  expect(await createAs('other')()).toBe(201)
  expect(ended.indexOf('other')).toBeLessThan(20)
  expect(new Set(await Promise.all(flood))).toEqual(new Set([201]))
})

test('reads of a tenant continue between forty templates of another one that are rejected', async () => {
  const world = await worldWith()
  const [flooding, other] = [world.tenant(), world.tenant()]
  const html = `${'<p style="color:red" title="{{a}}">x</p>'.repeat(900)}<p onclick="x">y</p>`
  const variables = [{ name: 'a', required: false, description: '' }]
  const body = { name: 'x', communication_type: 'EMAIL', subject: 'x', text: 'x', html, variables }
  let left = 40
  const flood = Array.from({ length: left }, async () => {
    const { status } = await flooding.post('/v1/communication/templates', body)
    left -= 1
    return status
  })
  await until(() => left < 40)
  let reads = 0
  while (left > 0) {
    await other.get('/v1/communication/templates?limit=1').expect(200)
    reads += 1
  }
  expect(reads).toBeGreaterThan(20)
  expect(new Set(await Promise.all(flood))).toEqual(new Set([400]))
})

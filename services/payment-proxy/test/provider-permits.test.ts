import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@payments/devkit/processes/process-group'
import { createApp } from '../src/app.ts'
import type { Connector } from '../src/connectors/connector.ts'
import { createProviderPermits, providerPermitLimits } from '../src/operation/provider-permits.ts'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const limits = { ...providerPermitLimits, permitsMax: 8, perTenantMax: 3, waitMsMax: 20_000 }

/** The service, whose sandbox holds the authorizations of one tenant until the test calls `respond`. */
function holding(held: TestTenant, given = limits) {
  let respond = () => {}
  const released = new Promise<void>((resolve) => {
    respond = resolve
  })
  let calls = 0
  const execute: Connector['execute'] = async (command, signal) => {
    if (command.account.tenantId !== held.id) return world.sandbox.execute(command, signal)
    calls += 1
    await released
    return world.sandbox.execute(command, signal)
  }
  const provider = world.createTestProvider({ ...world.sandbox, execute })
  const app = createApp({ ...world.deps, providerCalls: provider, providerPermits: createProviderPermits(given) })
  return { app, respond: () => respond(), calls: () => calls }
}

/** As many units, each with its own payment orchestrator. */
async function createUnits(tenant: TestTenant, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => crypto.randomUUID())
  for (const id of ids) await tenant.storeUnit({}, id)
  return ids
}

const countTransactions = async (tenant: TestTenant) => (await tenant.recorded()).length

describe('requests that may call a payment provider', () => {
  test('a tenant whose providers hang has its share of them, through any number of payment orchestrators', async () => {
    const [slow, other] = [world.tenant(), world.tenant()]
    const units = await createUnits(slow, 6)
    const { app, respond, calls } = holding(slow)
    const waiting = units.map((business_unit_id) =>
      slow
        .through(app)
        .authorize('visa', { business_unit_id })
        .then(({ status }) => status),
    )
    expect(await until(async () => calls() === limits.perTenantMax, 20_000)).toBe(true)
    for (let turn = 0; turn < 10; turn += 1) expect((await other.through(app).authorize()).status).toBe(201)
    expect(calls()).toBe(limits.perTenantMax)
    expect((await slow.through(app).list()).status).toBe(200)
    respond()
    expect(await Promise.all(waiting)).toEqual(Array(6).fill(201))
  }, 60_000)

  test('a request beyond the share is rate_limited after its wait, and records nothing', async () => {
    const slow = world.tenant()
    const { app, respond, calls } = holding(slow, { ...limits, perTenantMax: 1, waitMsMax: 100 })
    const first = slow
      .through(app)
      .authorize()
      .then(({ status }) => status)
    expect(await until(async () => calls() === 1, 20_000)).toBe(true)
    const key = 'beyond-the-share'
    const reply = await slow.through(app).authorize('visa', {}, key)
    expect([reply.status, reply.body.code, reply.headers['retry-after']]).toEqual([429, 'rate_limited', '1'])
    expect(await countTransactions(slow)).toBe(1)
    respond()
    expect(await first).toBe(201)
    expect((await slow.through(app).authorize('visa', {}, key)).status).toBe(201)
  }, 60_000)

  test('a request without any free permit is service_unavailable with Retry-After', async () => {
    const [slow, other] = [world.tenant(), world.tenant()]
    const { app, respond, calls } = holding(slow, { ...limits, permitsMax: 2, waitMsMax: 100 })
    const waiting = [1, 2].map(() =>
      slow
        .through(app)
        .authorize()
        .then(({ status }) => status),
    )
    expect(await until(async () => calls() === 2, 20_000)).toBe(true)
    const reply = await other.through(app).authorize()
    expect([reply.status, reply.body.code, reply.headers['retry-after']]).toEqual([503, 'service_unavailable', '1'])
    respond()
    expect(await Promise.all(waiting)).toEqual([201, 201])
  }, 60_000)
})

import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ProviderCalls } from '../src/connectors/provider-calls.ts'
import { createWorkPermits } from '../src/operation/work-permits.ts'
import { releaseExpiredAuthorizations } from '../src/verbs/release-expired-authorizations.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const dayMs = 24 * 60 * 60 * 1_000
const lastOperation = (body: { operations: Record<string, unknown>[] }) => body.operations.at(-1)

describe('an expired authorization', () => {
  test('cannot be captured, also before its release, when the provider reported its end', async () => {
    const { tenant, id } = await world.authorized('expires_in_60')
    const { body } = await tenant.read(id)
    const expiresInMs = Date.parse(body.authorization_expires_at) - Date.parse(body.created_at)
    expect(Math.round(expiresInMs / 10_000)).toBe(6)
    expect((await tenant.capture(id, { amount: 1_000 })).status).toBe(200)
    world.advanceClock(70_000)
    const late = await tenant.capture(id)
    expect([late.status, late.body.code]).toEqual([409, 'invalid_transaction_state'])
    expect(late.body.allowed_actions).toEqual(['void', 'refund'])
    while ((await world.releaseExpired()) > 0);
    expect((await tenant.read(id)).body).toMatchObject({ status: 'captured', amount_voided: 9_000 })
  })

  test('is voided with its reason, also at the provider', async () => {
    const tenant = world.tenant()
    const [untouched, part, spent] = await Promise.all([tenant.authorize(), tenant.authorize(), tenant.authorize()])
    await tenant.capture(part.body.id, { amount: 4_000 })
    await tenant.capture(spent.body.id)
    await world.releaseExpired()
    expect((await tenant.read(untouched.body.id)).body.status).toBe('authorized')
    world.advanceClock(7 * dayMs)
    while ((await world.releaseExpired()) > 0);
    const { body } = await tenant.read(untouched.body.id)
    expect(body).toMatchObject({ status: 'voided', amount_voided: 10_000 })
    expect(lastOperation(body)).toMatchObject({
      type: 'void',
      reason: 'authorization_expired',
      actor: { type: 'platform', id: null },
    })
    expect((await tenant.read(part.body.id)).body).toMatchObject({ status: 'captured', amount_voided: 6_000 })
    expect((await tenant.read(spent.body.id)).body.operations).toHaveLength(2)
    expect((await tenant.eventTypes()).filter((type) => type === 'void')).toHaveLength(2)
    const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)
    expect((await tenant.recorded()).sort(byId)).toEqual((await tenant.ledger()).sort(byId))
  })

  test('is voided again after one hour, then two, at most a day, until the provider has declined ten voids', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize('void_declined')).body
    world.advanceClock(7 * dayMs)
    const operationsAfterHours = async (hours: number) => {
      world.advanceClock((hours * dayMs) / 24)
      while ((await world.releaseExpired()) > 0);
      return (await tenant.read(id)).body.operations.length
    }
    expect(await operationsAfterHours(0)).toBe(2)
    expect(await operationsAfterHours(1)).toBe(3)
    expect(await operationsAfterHours(1)).toBe(3)
    expect(await operationsAfterHours(1)).toBe(4)
    for (const expected of [5, 6, 7, 8, 9, 10, 11]) expect(await operationsAfterHours(24)).toBe(expected)
    // Ten declined voids end the release.
    expect(await operationsAfterHours(24)).toBe(11)
  })

  test('of a tenant whose provider hangs leaves the release of other tenants alone', async () => {
    const [slow, other] = [world.tenant(), world.tenant()]
    for (let count = 0; count < 5; count += 1) await slow.authorize()
    const { id } = (await other.authorize()).body
    world.advanceClock(7 * dayMs)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let held = 0
    const provider: ProviderCalls = {
      ...world.deps.providerCalls,
      send: async (request) => {
        if (request.operation.tenantId === slow.id) {
          held += 1
          await released
        }
        return world.deps.providerCalls.send(request)
      },
    }
    const permits = createWorkPermits('test', world.deps.log)
    await releaseExpiredAuthorizations({ ...world.deps, providerCalls: provider }, permits)
    while ((await other.read(id)).body.status !== 'voided') await setImmediate()
    expect(held).toBe(3)
    release()
    await permits.settled()
    while ((await world.releaseExpired()) > 0);
    const { data } = (await slow.list()).body
    expect(data.map(({ status }: { status: string }) => status)).toEqual(Array(5).fill('voided'))
  })
})

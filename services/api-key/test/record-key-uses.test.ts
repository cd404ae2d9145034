import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()
const use = (tenant: TestTenant, keyId: string, usedAt: string) => ({
  api_key_id: keyId,
  tenant_id: tenant.id,
  used_at: usedAt,
})

describe('recordKeyUses', () => {
  test('stores the last use of a key, changes nothing else, and emits no event', async () => {
    const tenant = await world.tenant()
    const [used, unused] = [(await tenant.by().create()).body, (await tenant.by().create()).body]
    const events = await tenant.events()
    const reply = await world.asService.recordUses([
      use(tenant, used.id, at(1)),
      use(tenant, used.id, at(3)),
      use(tenant, used.id, at(2)),
    ])
    expect([reply.status, reply.body]).toEqual([200, { recorded: 1 }])
    const masked = { ...used, value: `psk_dev_…${used.value.slice(-4)}` }
    expect((await tenant.by().read(used.id)).body).toEqual({ ...masked, last_used_at: at(3) })
    expect((await tenant.by().read(unused.id)).body.last_used_at).toBeNull()
    expect(await tenant.events()).toEqual(events)
  })

  test('writes a key at most once a minute, and never an earlier use', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const recorded: number[] = []
    for (const seconds of [100, 101, 159, 90, 160, 219, 221]) {
      recorded.push((await world.asService.recordUses([use(tenant, created.id, at(seconds))])).body.recorded)
    }
    expect(recorded).toEqual([1, 0, 0, 0, 1, 0, 1])
    expect((await tenant.by().read(created.id)).body.last_used_at).toBe(at(221))
  })

  test('ten concurrent reports of ten keys, in any order, write each key once without a deadlock', async () => {
    const tenant = await world.tenant()
    const created = await Promise.all(Array.from({ length: 10 }, () => tenant.by().create()))
    const uses = created.map(({ body }, i) => use(tenant, body.id, at(i)))
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => world.asService.recordUses([...uses.slice(i), ...uses.slice(0, i)])),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(replies.reduce((sum, { body }) => sum + body.recorded, 0)).toBe(10)
  })

  test('stores a use in the future as now', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    await world.asService.recordUses([use(tenant, created.id, '2999-01-01T00:00:00.000Z')])
    expect(Date.parse((await tenant.by().read(created.id)).body.last_used_at)).toBeLessThanOrEqual(Date.now() + 1_000)
  })

  test('ignores deleted keys, and a key with the id of another tenant', async () => {
    const [ours, theirs] = [await world.tenant(), await world.tenant()]
    const { body: created } = await ours.by().create()
    const { body: gone } = await ours.by().create()
    await ours.by().remove(gone.id)
    const reply = await world.asService.recordUses([use(theirs, created.id, at(1)), use(ours, gone.id, at(1))])
    expect([reply.status, reply.body]).toEqual([200, { recorded: 0 }])
    expect((await ours.by().read(created.id)).body.last_used_at).toBeNull()
  })

  test('accepts between none and a thousand uses', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const uses = (n: number) => Array.from({ length: n }, (_, i) => use(tenant, created.id, at(i)))
    expect((await world.asService.recordUses([])).body).toEqual({ recorded: 0 })
    expect((await world.asService.recordUses(uses(1000))).body).toEqual({ recorded: 1 })
    const reply = await world.asService.recordUses(uses(1001))
    expect([reply.status, reply.body.errors[0].pointer]).toEqual([400, '/uses'])
  })
})

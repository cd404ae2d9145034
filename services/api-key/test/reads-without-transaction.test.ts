import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openDatabase } from '../src/store/database.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** None of the queries names a tenant, so only the scope of each read separates the two. */
test.each([1, 10])(
  'concurrent reads of two tenants see their own rows only, on %i sessions',
  async (connectionsMax) => {
    const tenants = [await world.tenant(), await world.tenant()]
    const owned = await Promise.all(
      tenants.map(async (tenant) => ({ tenantId: tenant.id, keyId: (await tenant.by().create()).body.id as string })),
    )
    const db = openDatabase(world.database.url, { connectionsMax })
    const ids = owned.map(({ keyId }) => keyId)
    const reads = Array.from({ length: 10 }, () =>
      owned.map(({ tenantId }) =>
        Promise.all([
          db.readInTenant(tenantId, (tx) => tx.key.findMany({ select: { id: true } })),
          ...ids.map((id) =>
            db.readInTenant(tenantId, (tx) => tx.key.findFirst({ where: { id }, select: { id: true } })),
          ),
        ]),
      ),
    ).flat()
    const seen = await Promise.all(reads)
    await db.close()
    const [first, second] = ids.map((id) => ({ id }))
    const expected = [
      [[first], first, null],
      [[second], null, second],
    ]
    expect(seen).toEqual(Array.from({ length: 10 }, () => expected).flat())
  },
)

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const hourAgo = () => new Date(Date.now() - 3_000_000)
const session = async () => {
  const tenant = await world.tenant()
  const { id } = await (await tenant.member()).signIn()
  await world.rows('UPDATE sessions SET last_seen_at = $2 WHERE id = $1::uuid RETURNING id', id, hourAgo())
  return { id: id as string, tenantId: tenant.id }
}
const use = ({ id, tenantId }: { id: string; tenantId: string }, usedAt: Date) => ({
  session_id: id,
  tenant_id: tenantId,
  used_at: usedAt.toISOString(),
})
const seenAt = async (id: string) => {
  const [row] = await world.rows<{ at: Date }>('SELECT last_seen_at AS at FROM sessions WHERE id = $1::uuid', id)
  return row?.at.getTime() ?? 0
}

describe('recordSessionUses', () => {
  test('stores the latest use of each session, in any order, and changes no authorization', async () => {
    const [one, two] = [await session(), await session()]
    const [early, late] = [new Date(Date.now() - 600_000), new Date(Date.now() - 300_000)]
    const { epoch } = await world.epoch()
    const reply = await world.asGateway.recordUses([use(one, late), use(one, early), use(two, early)])
    expect(reply.body).toEqual({ recorded: 2 })
    expect([await seenAt(one.id), await seenAt(two.id)]).toEqual([late.getTime(), early.getTime()])
    expect((await world.epoch()).epoch).toBe(epoch)
  })

  test('at most once a minute, never earlier, and never in the future', async () => {
    const one = await session()
    const now = Date.now()
    await world.asGateway.recordUses([use(one, new Date(now + 3_600_000))])
    const stored = await seenAt(one.id)
    expect(stored).toBeLessThan(now + 60_000)
    for (const at of [stored + 59_000, stored - 120_000]) {
      expect((await world.asGateway.recordUses([use(one, new Date(at))])).body).toEqual({ recorded: 0 })
    }
    expect(await seenAt(one.id)).toBe(stored)
  })

  test('ignores an unknown session, and a session under another tenant', async () => {
    const one = await session()
    const uses = [use({ ...one, tenantId: randomUUID() }, new Date()), use({ ...one, id: randomUUID() }, new Date())]
    expect((await world.asGateway.recordUses(uses)).body).toEqual({ recorded: 0 })
  })

  test('ten reports at once of the same sessions do not deadlock', async () => {
    const sessions = [await session(), await session(), await session()]
    const reports = Array.from({ length: 10 }, (_, i) => {
      const uses = sessions.map((one) => use(one, new Date()))
      return world.asGateway.recordUses(i % 2 === 0 ? uses : uses.reverse())
    })
    const replies = await Promise.all(reports)
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(replies.reduce((sum, { body }) => sum + body.recorded, 0)).toBe(3)
  })
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('revealKey', () => {
  test('returns the full value, forbids caching, and emits an event', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create({ name: 'till 7' })
    const user = tenant.by(['apikey:RevealKey'])
    const reply = await user.reveal(created.id)
    expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(reply.body).toEqual(created)
    const events = await tenant.events()
    expect(events.at(-1)).toEqual({
      type: 'api-key.keys.reveal',
      payload: {
        id: created.id,
        name: 'till 7',
        revealed_by: `user:${user.actor.id}`,
        revealed_at: expect.any(String),
      },
    })
    expect(JSON.stringify(events)).not.toContain(created.value.slice(-4))
  })

  test('requires every permission of the key, names the missing ones, and emits no event', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    await tenant.by().assign(created.id, [await tenant.role(['transaction:RefundTransaction', 'apikey:ReadKey'])])
    const before = await tenant.events()
    const reply = await tenant.by(['apikey:RevealKey', 'apikey:ReadKey']).reveal(created.id)
    expect([reply.status, reply.body.code]).toEqual([403, 'would_exceed_own_permissions'])
    expect(reply.body.missing_permissions).toEqual(['transaction:RefundTransaction'])
    expect(JSON.stringify(reply.body)).not.toContain(created.value.slice(-4))
    expect(await tenant.events()).toEqual(before)
    const equal = tenant.by(['apikey:RevealKey', 'apikey:ReadKey', 'transaction:RefundTransaction'])
    expect((await equal.reveal(created.id)).body.value).toBe(created.value)
  })

  test('a key may reveal itself', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    await tenant.by().assign(created.id, [await tenant.role(['apikey:RevealKey'])])
    const reply = await tenant.as({ type: 'api_key', id: created.id }, ['apikey:RevealKey']).reveal(created.id)
    expect(reply.body.value).toBe(created.value)
  })

  test('ten at once by one actor: five values, five events; the others get Retry-After', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const user = tenant.by()
    const replies = await Promise.all(Array.from({ length: 10 }, () => user.reveal(created.id)))
    const limited = replies.filter(({ status }) => status === 429)
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(limited.map(({ body }) => body.code)).toEqual(Array(5).fill('rate_limited'))
    for (const { headers } of limited) {
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(50)
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60)
    }
    expect((await tenant.events()).filter(({ type }) => type === 'api-key.keys.reveal')).toHaveLength(5)
    expect((await tenant.by().reveal(created.id)).status).toBe(200)
  })

  test('rejected reveals count, and reveals of unknown keys', async () => {
    const tenant = await world.tenant()
    const { body: strong } = await tenant.by().create()
    await tenant.by().assign(strong.id, [tenant.adminRole])
    const { body: weak } = await tenant.by().create()
    const user = tenant.by(['apikey:RevealKey'])
    const statuses = []
    for (const id of [strong.id, randomUUID(), strong.id, randomUUID(), strong.id, weak.id]) {
      statuses.push((await user.reveal(id)).status)
    }
    expect(statuses).toEqual([403, 404, 403, 404, 403, 429])
  })

  test('allows a reveal again a minute after the first', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const user = tenant.by()
    for (let i = 0; i < 5; i += 1) await user.reveal(created.id)
    expect((await user.reveal(created.id)).status).toBe(429)
    await world.rows(
      `UPDATE reveal_attempts SET attempted_at = attempted_at - interval '61 s' WHERE tenant_id = $1::uuid RETURNING id`,
      tenant.id,
    )
    expect((await user.reveal(created.id)).status).toBe(200)
  })

  test('a value moved from another key is a 500, not a value', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const [one, two] = [await user.create(), await user.create()]
    await world.rows(
      `UPDATE keys SET value_encrypted = (SELECT value_encrypted FROM keys WHERE id = $1::uuid) WHERE id = $2::uuid RETURNING id`,
      one.body.id,
      two.body.id,
    )
    const reply = await user.reveal(two.body.id)
    expect([reply.status, reply.body.code]).toEqual([500, 'internal_error'])
    expect(JSON.stringify(reply.body)).not.toContain(one.body.value)
  })
})

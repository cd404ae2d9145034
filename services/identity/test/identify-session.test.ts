import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { keyHash } from '@payments/contracts/grammar/key-value'
import { asStandby } from '@payments/testing/database/database'
import { fewestRoundTrips } from '@payments/testing/database/round-trips'
import { until } from '@payments/testing/services/until'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const session = async () => {
  const tenant = await world.tenant()
  const user = await tenant.member([tenant.viewerRole, tenant.adminRole])
  return { tenant, user, ...(await user.signIn({ minutesAgo: 1 })) }
}

describe('identifySession', () => {
  test('finds a session by the hash of its value and by its id, with tenant, user and current roles', async () => {
    const { tenant, user, value, id, session: row } = await session()
    const expected = {
      session_id: id,
      user_id: user.id,
      tenant_id: tenant.id,
      kind: 'browser',
      role_ids: [tenant.viewerRole, tenant.adminRole].sort(),
      authenticated_at: row.authenticatedAt.toISOString(),
      expires_at: row.expiresAt.toISOString(),
      idle_expires_at: new Date(row.lastSeenAt.getTime() + 3_600_000).toISOString(),
      idle_seconds: 3_600,
    }
    expect((await world.asGateway.identify({ session_hash: keyHash(value) })).body).toEqual({ session: expected })
    expect((await world.asGateway.identify({ session_id: id })).body).toEqual({ session: expected })
  })

  test.each([
    ['has expired', `UPDATE sessions SET expires_at = now() - interval '1 second' WHERE id = $1::uuid`],
    [
      'was not used for an hour',
      `UPDATE sessions SET last_seen_at = now() - interval '3601 seconds' WHERE id = $1::uuid`,
    ],
    [
      'is of a disabled user',
      'UPDATE memberships SET enabled = false WHERE user_id = (SELECT user_id FROM sessions WHERE id = $1::uuid)',
    ],
    [
      'is of a removed user',
      'DELETE FROM memberships WHERE user_id = (SELECT user_id FROM sessions WHERE id = $1::uuid)',
    ],
  ])('finds no session that %s', async (_, change) => {
    const { value, id } = await session()
    await world.rows(`${change} RETURNING 1`, id)
    expect(await world.identify(value)).toBeNull()
    expect((await world.asGateway.identify({ session_id: id })).body).toEqual({ session: null })
  })

  test('finds none for an unknown value or id, and none by the value itself', async () => {
    const { value } = await session()
    expect(await world.identify('pss_dev_unknown')).toBeNull()
    expect((await world.asGateway.identify({ session_id: randomUUID() })).body).toEqual({ session: null })
    expect((await world.asGateway.identify({ session_hash: value })).status).toBe(400)
  })

  test('finds sessions under a previous pepper, and no longer without it', async () => {
    const before = await session()
    const old = world.peppers.keys.get('old') ?? createSecretKey(randomBytes(32))
    const both = new Map([
      ['new', createSecretKey(randomBytes(32))],
      ['old', old],
    ])
    const named = { session_hash: keyHash(before.value) }
    const through = (keys: typeof both) =>
      world.asGatewayAt(world.createAppWith(world.withPeppers({ keys, current: 'new' })))
    expect((await through(both).identify(named)).body.session.session_id).toBe(before.id)
    both.delete('old')
    expect((await through(both).identify(named)).body).toEqual({ session: null })
  })

  test('uses the index of values', async () => {
    const plan = await world.db.acrossTenants(async (tx) => {
      await tx.$executeRawUnsafe('SET LOCAL enable_seqscan = off')
      return tx.$queryRawUnsafe(
        `EXPLAIN SELECT 1 FROM sessions s WHERE (s.pepper_kid, s.index_hmac) IN
           (SELECT kid, decode(hex, 'hex') FROM unnest($1::text[], $2::text[]) AS named (kid, hex))`,
        ['old'],
        ['00'],
      )
    })
    expect(JSON.stringify(plan)).toContain('sessions_pepper_kid_index_hmac_key')
  })

  test('takes one round trip to the database', async () => {
    const { id, value } = await session()
    const byHash = { session_hash: keyHash(value) }
    expect(await fewestRoundTrips(() => world.asGateway.identify({ session_id: id }))).toBe(1)
    expect(await fewestRoundTrips(() => world.asGateway.identify(byHash))).toBe(1)
  })

  test('fails on a server in recovery, whose state may be old', async () => {
    const { id } = await session()
    const endStandby = await asStandby(world.database)
    expect((await world.asGateway.identify({ session_id: id })).status).toBe(500)
    await endStandby()
    // Sessions of the database that have ended may still be in the pool.
    await until(async () => (await world.asGateway.identify({ session_id: id })).status === 200)
  })
})

import { createSecretKey, randomBytes } from 'node:crypto'
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

const later = '2999-01-01T00:00:00.000Z'

describe('identifyKey', () => {
  test('returns the tenant, the roles and the constraints of the key', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create({ expires_at: later })
    await tenant.by().assign(created.id, [tenant.viewerRole, tenant.adminRole])
    const reply = await world.asService.identify(keyHash(created.value))
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      key: {
        api_key_id: created.id,
        tenant_id: tenant.id,
        value: 'current',
        enabled: true,
        expires_at: later,
        allowed_cidrs: null,
        role_ids: [tenant.viewerRole, tenant.adminRole].sort(),
      },
    })
  })

  test('returns disabled and expired keys too: the gateway rejects them', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    await tenant.by().update(created.id, { enabled: false, expires_at: '2020-01-01T00:00:00Z' })
    const { key } = (await world.asService.identify(keyHash(created.value))).body
    expect(key).toMatchObject({ enabled: false, expires_at: '2020-01-01T00:00:00.000Z', role_ids: [] })
  })

  test('reports an expired key as disabled, by the clock of the database', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create({ expires_at: later })
    await tenant.by().update(created.id, { expires_at: new Date(Date.now() - 1_000).toISOString() })
    const { key } = (await world.asService.identify(keyHash(created.value))).body
    expect(key.enabled).toBe(false)
  })

  test('takes one round trip to the database', async () => {
    const { body: created } = await (await world.tenant()).by().create()
    const hash = keyHash(created.value)
    expect(await fewestRoundTrips(() => world.asService.identify(hash))).toBe(1)
  })

  test('fails on a server in recovery, whose state may be old', async () => {
    const { value } = (await (await world.tenant()).by().create()).body
    const endStandby = await asStandby(world.database)
    expect((await world.asService.identify(keyHash(value))).status).toBe(500)
    await endStandby()
    // Sessions of the database that have ended may still be in the pool.
    await until(async () => (await world.asService.identify(keyHash(value))).status === 200)
  })

  test('finds no key for an unknown value, and none by the value itself', async () => {
    expect((await world.asService.identify(keyHash('psk_dev_unknown'))).body).toEqual({ key: null })
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    expect((await world.asService.identify(created.value)).status).toBe(400)
  })

  test('finds keys under a previous pepper, and later keys under the current pepper', async () => {
    const tenant = await world.tenant()
    const before = (await tenant.by().create()).body
    world.peppers.keys.set('new', createSecretKey(randomBytes(32)))
    world.peppers.current = 'new'
    const after = (await tenant.by().create()).body
    for (const created of [before, after]) {
      expect((await world.asService.identify(keyHash(created.value))).body.key.api_key_id).toBe(created.id)
    }
    const kids = await world.rows<{ kid: string }>(
      'SELECT pepper_kid AS kid FROM keys WHERE tenant_id = $1::uuid ORDER BY id',
      tenant.id,
    )
    expect(kids).toEqual([{ kid: 'old' }, { kid: 'new' }])
    const old = world.peppers.keys.get('old')
    world.peppers.keys.delete('old')
    expect((await world.asService.identify(keyHash(before.value))).body).toEqual({ key: null })
    if (old !== undefined) world.peppers.keys.set('old', old)
  })

  test('uses an index of the database', async () => {
    const plan = await world.db.acrossTenants(async (tx) => {
      await tx.$executeRawUnsafe('SET LOCAL enable_seqscan = off')
      const plans: unknown[] = []
      for (const table of ['keys', 'previous_values']) {
        plans.push(
          await tx.$queryRawUnsafe(
            `EXPLAIN SELECT 1 FROM (SELECT kid, decode(hex, 'hex') AS hmac FROM unnest($1::text[], $2::text[]) AS named (kid, hex)) query
               JOIN ${table} t ON t.pepper_kid = query.kid AND t.index_hmac = query.hmac`,
            ['old'],
            ['00'],
          ),
        )
      }
      return JSON.stringify(plans)
    })
    expect(plan).toContain('keys_pepper_kid_index_hmac_key')
    expect(plan).toContain('previous_values_pepper_kid_index_hmac_key')
  })
})

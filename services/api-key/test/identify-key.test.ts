import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { keyHash, parseKeyValue } from '@payments/contracts/key-value'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const later = '2999-01-01T00:00:00.000Z'

describe('identifyKey', () => {
  test('tells the gateway whose key it is and what to judge by', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create({ expires_at: later })
    await tenant.by().assign(made.id, [tenant.viewerRole, tenant.adminRole])
    const reply = await world.asService.identify(keyHash(made.value))
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      key: {
        api_key_id: made.id,
        tenant_id: tenant.id,
        value: 'current',
        enabled: true,
        expires_at: later,
        allowed_cidrs: null,
        role_ids: [tenant.viewerRole, tenant.adminRole].sort(),
      },
    })
  })

  test('tells of a disabled and of an expired key too: whether it may be used is the gateway’s decision', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    await tenant.by().update(made.id, { enabled: false, expires_at: '2020-01-01T00:00:00Z' })
    const { key } = (await world.asService.identify(keyHash(made.value))).body
    expect(key).toMatchObject({ enabled: false, expires_at: '2020-01-01T00:00:00.000Z', role_ids: [] })
  })

  test('finds nothing for a value that nobody was given, and nothing by the value itself', async () => {
    expect((await world.asService.identify(keyHash('psk_dev_unknown'))).body).toEqual({ key: null })
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    expect((await world.asService.identify(made.value)).status).toBe(400)
  })

  test('finds keys under a former pepper, and those made since under the new one', async () => {
    const tenant = await world.tenant()
    const before = (await tenant.by().create()).body
    world.peppers.keys.set('new', createSecretKey(randomBytes(32)))
    world.peppers.current = 'new'
    const after = (await tenant.by().create()).body
    for (const made of [before, after]) {
      expect((await world.asService.identify(keyHash(made.value))).body.key.api_key_id).toBe(made.id)
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

  test('is answered from an index', async () => {
    const plan = await world.db.acrossTenants(async (tx) => {
      await tx.$executeRawUnsafe('SET LOCAL enable_seqscan = off')
      const plans: unknown[] = []
      for (const table of ['keys', 'previous_values']) {
        plans.push(
          await tx.$queryRawUnsafe(
            `EXPLAIN SELECT 1 FROM (SELECT kid, decode(hex, 'hex') AS hmac FROM unnest($1::text[], $2::text[]) AS named (kid, hex)) sought
               JOIN ${table} t ON t.pepper_kid = sought.kid AND t.index_hmac = sought.hmac`,
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

describe('issueFirstKey', () => {
  const draft = (roleIds: string[]) => ({ name: 'first', description: 'onboarding', role_ids: roleIds })

  test('issues a key with its roles in one step, and tells of both', async () => {
    const tenant = await world.tenant()
    const reply = await world.asService.issueFirst(tenant.id, draft([tenant.adminRole]))
    expect(reply.status).toBe(201)
    expect(parseKeyValue(reply.body.value)).toEqual({ environment: 'dev' })
    expect(reply.body).toMatchObject({ role_ids: [tenant.adminRole], created_by: 'service:payctl', enabled: true })
    const { key } = (await world.asService.identify(keyHash(reply.body.value))).body
    expect(key).toMatchObject({ tenant_id: tenant.id, role_ids: [tenant.adminRole] })
    const events = await tenant.events()
    expect(events.map(({ type }) => type)).toEqual(['api-key.keys.create', 'api-key.keys.assign-roles'])
    expect((await tenant.by().reveal(reply.body.id)).body.value).toBe(reply.body.value)
  })

  test('refuses a role that is not the tenant’s, and a tenant that is not', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const foreign = await world.asService.issueFirst(tenant.id, draft([other.adminRole]))
    expect([foreign.status, foreign.body.code]).toEqual([422, 'unknown_role'])
    expect(foreign.body.errors[0].pointer).toBe('/role_ids/0')
    const nobody = await world.asService.issueFirst(randomUUID(), draft([tenant.adminRole]))
    expect([nobody.status, nobody.body.code]).toEqual([404, 'tenant_not_found'])
    expect((await tenant.by().list()).body.data).toEqual([])
    expect(await tenant.events()).toEqual([])
  })
})

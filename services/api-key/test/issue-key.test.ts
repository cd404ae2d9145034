import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { keyHash, parseKeyValue } from '@payments/contracts/grammar/key-value'
import { operatorRecords } from '@payments/testing/suites/operator'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('issueKey', () => {
  const draft = (roleName: string) => ({ name: 'first', description: 'onboarding', role_name: roleName })

  test('issues a key with its role in one step, and emits both events', async () => {
    const tenant = await world.tenant()
    const reply = await world.asService.issueKey(tenant.id, draft('admin'))
    expect(reply.status).toBe(201)
    expect(parseKeyValue(reply.body.value)).toEqual({ environment: 'dev' })
    expect(reply.body).toMatchObject({ role_ids: [tenant.adminRole], created_by: 'service:payctl', enabled: true })
    const { key } = (await world.asService.identify(keyHash(reply.body.value))).body
    expect(key).toMatchObject({ tenant_id: tenant.id, role_ids: [tenant.adminRole] })
    const events = await tenant.events()
    expect(events.map(({ type }) => type)).toEqual(['api-key.keys.create', 'api-key.keys.assign-roles'])
    expect((await tenant.by().reveal(reply.body.id)).body.value).toBe(reply.body.value)
  })

  test('leaves an audit record of the operator without the value and the name of the key', async () => {
    const tenant = await world.tenant()
    const response = await world.asOperator.post(`/internal/tenants/${tenant.id}/keys`, draft('admin'))
    expect(response.status).toBe(201)
    const [record] = await operatorRecords(world.rows, response)
    expect(record).toMatchObject({ tenant_id: tenant.id, operation: 'issueKey', outcome: 'success' })
    expect(JSON.stringify(record)).not.toMatch(new RegExp(`${response.body.value}|first`))
  })

  test('rejects a role that the tenant does not have, an id in place of a name, and an unknown tenant', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    await other.role(['apikey:ReadKey'], 'Reader')
    for (const name of ['Reader', 'Admin', tenant.adminRole]) {
      const rejected = await world.asService.issueKey(tenant.id, draft(name))
      expect([rejected.status, rejected.body.code]).toEqual([422, 'unknown_role'])
      expect(rejected.body.errors[0].pointer).toBe('/role_name')
    }
    const unknown = await world.asService.issueKey(randomUUID(), draft('admin'))
    expect([unknown.status, unknown.body.code]).toEqual([404, 'tenant_not_found'])
    expect((await tenant.by().list()).body.data).toEqual([])
    expect(await tenant.events()).toEqual([])
  })

  test('issues a key with a custom role of the tenant', async () => {
    const tenant = await world.tenant()
    const role = await tenant.role(['apikey:ReadKey'], 'Reader')
    const reply = await world.asService.issueKey(tenant.id, { name: 'second', role_name: 'Reader' })
    expect([reply.status, reply.body.role_ids, reply.body.description]).toEqual([201, [role], ''])
  })

  test('rejects a suspended tenant: tenant_suspended, no key and no event', async () => {
    const tenant = await world.tenant()
    await tenant.suspend()
    const rejected = await world.asService.issueKey(tenant.id, draft('admin'))
    expect([rejected.status, rejected.body.code]).toEqual([403, 'tenant_suspended'])
    expect((await tenant.by().list()).body.data).toEqual([])
    expect(await tenant.events()).toEqual([])
  })

  test('rejects a tenant with a usable key: tenant_has_key, no key and no event', async () => {
    const tenant = await world.tenant()
    await world.asService.issueKey(tenant.id, draft('viewer'))
    const rejected = await world.asService.issueKey(tenant.id, draft('admin'))
    expect([rejected.status, rejected.body.code]).toEqual([409, 'tenant_has_key'])
    expect((await tenant.by().list()).body.data).toHaveLength(1)
    expect(await tenant.events()).toHaveLength(2)
  })

  test('ten at once issue one key', async () => {
    const tenant = await world.tenant()
    const issue = () => world.asService.issueKey(tenant.id, draft('admin'))
    const replies = await Promise.all(Array.from({ length: 10 }, issue))
    const codes = replies.map(({ status, body }): string => (status === 201 ? 'issued' : body.code))
    expect(codes.sort()).toEqual(['issued', ...Array(9).fill('tenant_has_key')])
    expect((await tenant.by().list()).body.data).toHaveLength(1)
    expect(await tenant.events()).toHaveLength(2)
  })

  const losses: [string, (tenant: TestTenant, keyId: string) => Promise<unknown>][] = [
    ['deleted', (tenant, keyId) => tenant.by().remove(keyId)],
    ['disabled', (tenant, keyId) => tenant.by().update(keyId, { enabled: false })],
    ['expired', (tenant, keyId) => tenant.by().update(keyId, { expires_at: new Date().toISOString() })],
    ['left without a role', (tenant, keyId) => tenant.by().assign(keyId, [])],
  ]
  test.each(losses)('issues a key to a tenant whose last key is %s', async (_loss, lose) => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    await world.asService.issueKey(other.id, draft('admin'))
    const first = await world.asService.issueKey(tenant.id, draft('admin'))
    expect(first.status).toBe(201)
    await lose(tenant, first.body.id)
    expect((await world.asService.issueKey(tenant.id, draft('admin'))).status).toBe(201)
    expect((await world.asService.issueKey(tenant.id, draft('admin'))).status).toBe(409)
  })

  test('rejects the 1001st key: too_many_keys, no key and no event', async () => {
    const tenant = await world.tenant()
    const { body } = await tenant.by().create()
    await world.rows(
      `INSERT INTO keys (id, tenant_id, name, description, environment, masked_value, value_encrypted, pepper_kid, index_hmac, created_by, updated_at)
       SELECT gen_random_uuid(), tenant_id, name, description, environment, masked_value, value_encrypted, 'none',
              decode(md5(id::text || n), 'hex'), created_by, updated_at
         FROM keys, generate_series(1, 999) n WHERE id = $1::uuid RETURNING id`,
      body.id,
    )
    const rejected = await world.asService.issueKey(tenant.id, draft('admin'))
    expect([rejected.status, rejected.body.code]).toEqual([409, 'too_many_keys'])
    expect((await tenant.events()).map(({ type }) => type)).toEqual(['api-key.keys.create'])
  })
})

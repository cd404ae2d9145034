import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { keyHash, parseKeyValue } from '@payments/contracts/key-value'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('issueFirstKey', () => {
  const draft = (roleIds: string[]) => ({ name: 'first', description: 'onboarding', role_ids: roleIds })

  test('issues a key with its roles in one step, and emits both events', async () => {
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

  test('rejects a role of another tenant, and an unknown tenant', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const foreign = await world.asService.issueFirst(tenant.id, draft([other.adminRole]))
    expect([foreign.status, foreign.body.code]).toEqual([422, 'unknown_role'])
    expect(foreign.body.errors[0].pointer).toBe('/role_ids/0')
    const unknown = await world.asService.issueFirst(randomUUID(), draft([tenant.adminRole]))
    expect([unknown.status, unknown.body.code]).toEqual([404, 'tenant_not_found'])
    expect((await tenant.by().list()).body.data).toEqual([])
    expect(await tenant.events()).toEqual([])
  })
})

import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Permission } from '@payments/contracts/grammar/permission'
import { type ConnectedWorld, startConnectedWorld } from './connected-world.ts'
import { startWorld } from './world.ts'

let world: ConnectedWorld
beforeAll(async () => {
  world = await startConnectedWorld()
})
afterEach(() => world.duringCall(undefined))
afterAll(() => world.stop())

type Callees = Pick<ConnectedWorld['deps'], 'apiKey' | 'identity'>

const weak: Permission[] = ['rbac:DeleteRole']

async function tenantWithRole(permissions: Permission[] = ['apikey:ReadKey']) {
  const tenant = await world.tenant()
  const { body: role } = await tenant.by().create({ permissions })
  return { tenant, role: role as { id: string; name: string } }
}

describe('deleteRole', () => {
  test('the role is deleted, grants nothing, and an event is emitted', async () => {
    const { tenant, role } = await tenantWithRole()
    const reply = await tenant.by().remove(role.id)
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect((await tenant.by().read(role.id)).status).toBe(404)
    expect(await tenant.resolve({ role_ids: [role.id] })).toMatchObject({ permissions: [], unknown: [role.id] })
    const [, event] = await tenant.events()
    expect(event).toEqual({
      type: 'rbac.roles.delete',
      payload: { id: role.id, name: role.name, deleted_at: expect.stringMatching(/Z$/) },
      business_unit_id: null,
      trace_id: expect.any(String),
    })
    expect((await tenant.by().create({ name: role.name })).status).toBe(201)
  })

  test('a role of a key is role_in_use and stays, and can be assigned again at once', async () => {
    const { tenant, role } = await tenantWithRole()
    for (let i = 0; i < 2; i += 1) await world.key(tenant.id, [role.id])
    const before = await world.epoch()
    const reply = await tenant.by().remove(role.id)
    expect([reply.status, reply.body.code]).toEqual([409, 'role_in_use'])
    expect([reply.body.key_count, reply.body.member_count]).toEqual([2, 0])
    expect((await tenant.by().read(role.id)).status).toBe(200)
    expect(await tenant.events()).toHaveLength(1)
    expect(await world.epoch()).toEqual(before)
    expect((await world.key(tenant.id, [role.id])).role_ids).toEqual([role.id])
    await world.detach(tenant.id)
    expect((await tenant.by().remove(role.id)).status).toBe(204)
  })

  test('a role of users, disabled ones included, is role_in_use and stays', async () => {
    const { tenant, role } = await tenantWithRole()
    await world.user(tenant.id, [tenant.viewerRole, role.id])
    await world.user(tenant.id, [role.id], { enabled: false })
    const reply = await tenant.by().remove(role.id)
    expect([reply.status, reply.body.code]).toEqual([409, 'role_in_use'])
    expect([reply.body.key_count, reply.body.member_count]).toEqual([0, 2])
    expect((await tenant.by().read(role.id)).status).toBe(200)
    await world.removeUsers(tenant.id)
    expect((await tenant.by().remove(role.id)).status).toBe(204)
  })

  test('a role that is being deleted is not assigned, and still grants its permissions', async () => {
    const { tenant, role } = await tenantWithRole()
    const query = { role_ids: [role.id] }
    const seen: unknown[] = []
    world.duringCall(async () => {
      seen.push(await world.key(tenant.id, [role.id]).catch((error: { code: string }) => error.code))
      seen.push((await tenant.resolve({ ...query, purpose: 'assign' })).unknown)
      seen.push((await tenant.resolve(query)).permissions)
    })
    expect((await tenant.by().remove(role.id)).status).toBe(204)
    expect(seen).toEqual(['unknown_role', [role.id], ['apikey:ReadKey']])
  })

  test('an earlier resolved assignment leaves an id that grants nothing', async () => {
    const { tenant, role } = await tenantWithRole()
    expect((await tenant.by().remove(role.id)).status).toBe(204)
    expect(await tenant.resolve({ role_ids: [role.id, tenant.viewerRole] })).toMatchObject({ unknown: [role.id] })
    const { body: successor } = await tenant.by().create({ name: role.name, permissions: ['apikey:ReadKey'] })
    expect(successor.id).not.toBe(role.id)
    expect((await tenant.resolve({ role_ids: [role.id] })).permissions).toEqual([])
  })

  test('checks the role again at the end: a role that gained permissions meanwhile stays', async () => {
    const { tenant, role } = await tenantWithRole([])
    world.duringCall(async () => {
      await tenant.by().update(role.id, { permissions: ['audit:ReadRecord'] })
    })
    const reply = await tenant.by(weak).remove(role.id)
    expect([reply.status, reply.body.code]).toEqual([403, 'would_exceed_own_permissions'])
    expect((await tenant.resolve({ role_ids: [role.id] })).permissions).toEqual(['audit:ReadRecord'])
  })

  test('rejects the deletion of a role with permissions that the caller lacks', async () => {
    const { tenant, role } = await tenantWithRole(['audit:ReadRecord'])
    const reply = await tenant.by(weak).remove(role.id)
    expect([reply.status, reply.body.code]).toEqual([403, 'would_exceed_own_permissions'])
    expect(reply.body.missing_permissions).toEqual(['audit:ReadRecord'])
    expect((await tenant.by().read(role.id)).status).toBe(200)
    expect((await tenant.by([...weak, 'audit:ReadRecord']).remove(role.id)).status).toBe(204)
  })

  test.each(['adminRole', 'viewerRole'] as const)('%s is a built_in_role', async (builtIn) => {
    const tenant = await world.tenant()
    const reply = await tenant.by().remove(tenant[builtIn])
    expect([reply.status, reply.body.code]).toEqual([409, 'built_in_role'])
    expect((await tenant.by().read(tenant[builtIn])).status).toBe(200)
  })

  test('a role of another tenant gets the same response as a missing role, and stays', async () => {
    const ours = await world.tenant()
    const { tenant: theirs, role: foreign } = await tenantWithRole()
    const missing = await ours.by().remove('0192e4a0-0000-7000-8000-000000000000')
    const reply = await ours.by().remove(foreign.id)
    expect([reply.status, reply.body.code]).toEqual([404, 'role_not_found'])
    expect({ ...reply.body, trace_id: '' }).toEqual({ ...missing.body, trace_id: '' })
    expect((await theirs.by().read(foreign.id)).status).toBe(200)
  })

  test('ten at once: one deletes, the others are role_being_deleted or role_not_found; one event', async () => {
    const { tenant, role } = await tenantWithRole()
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.by().remove(role.id)))
    const codes = replies.map(({ status, body }): string => (status === 204 ? 'deleted' : body.code))
    expect(codes.filter((code) => code === 'deleted')).toHaveLength(1)
    expect(codes.filter((code) => !['deleted', 'role_being_deleted', 'role_not_found'].includes(code))).toEqual([])
    const waiting = replies.filter(({ body }) => body.code === 'role_being_deleted')
    expect(waiting.filter(({ status, headers }) => status !== 409 || headers['retry-after'] !== '1')).toEqual([])
    expect((await tenant.events()).filter(({ type }) => type === 'rbac.roles.delete')).toHaveLength(1)
  })

  test('a second request during the first is role_being_deleted', async () => {
    const { tenant, role } = await tenantWithRole()
    let second: { status: number; body: { code: string } } | undefined
    world.duringCall(async () => {
      second = await tenant.by().remove(role.id)
    })
    expect((await tenant.by().remove(role.id)).status).toBe(204)
    expect([second?.status, second?.body.code]).toEqual([409, 'role_being_deleted'])
  })
})

describe('an interrupted deletion', () => {
  test.each([
    ['api-key', (isolated: Callees) => ({ identity: isolated.identity })],
    ['identity', (isolated: Callees) => ({ apiKey: isolated.apiKey })],
  ] as const)(
    'without %s the response is 503, and the role stays and can be assigned at once',
    async (_, remaining) => {
      const isolated = await startWorld(remaining(world.deps))
      try {
        const tenant = await isolated.tenant()
        const { body: role } = await tenant.by().create()
        const reply = await tenant.by().remove(role.id)
        expect([reply.status, reply.body.code, reply.headers['retry-after']]).toEqual([503, 'service_unavailable', '1'])
        expect((await tenant.by().read(role.id)).body).toEqual(role)
        expect((await tenant.resolve({ role_ids: [role.id], purpose: 'assign' })).unknown).toEqual([])
        expect(await tenant.events()).toHaveLength(1)
      } finally {
        await isolated.stop()
      }
    },
  )

  test('the mark of a crashed deletion expires, and the role is unchanged', async () => {
    const { tenant, role } = await tenantWithRole()
    const mark = (until: string) =>
      world.rows(`UPDATE roles SET deleting_until = now() ${until} WHERE id = $1::uuid RETURNING id::text`, role.id)
    await mark(`+ interval '30 s'`)
    expect((await tenant.by().remove(role.id)).body.code).toBe('role_being_deleted')
    await mark(`- interval '1 ms'`)
    expect((await world.key(tenant.id, [role.id])).role_ids).toEqual([role.id])
    await world.detach(tenant.id)
    expect((await tenant.by().remove(role.id)).status).toBe(204)
  })

  test.each([
    ['expired', `deleting_until - interval '1 min'`],
    ['was replaced', `deleting_until + interval '1 ms'`],
  ])('a request whose mark %s during its call to api-key deletes nothing', async (_, instant) => {
    const { tenant, role } = await tenantWithRole()
    world.duringCall(() =>
      world.rows(`UPDATE roles SET deleting_until = ${instant} WHERE id = $1::uuid RETURNING id::text`, role.id),
    )
    const reply = await tenant.by().remove(role.id)
    expect([reply.status, reply.body.code]).toEqual([409, 'role_being_deleted'])
    expect((await tenant.by().read(role.id)).status).toBe(200)
    expect(await tenant.events()).toHaveLength(1)
  })
})

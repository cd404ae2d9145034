import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { client } from '@payments/chassis/client/client'
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import { rbac as rbacContract } from '@payments/contracts/services/rbac/contract'
import { outcome } from '@payments/testing/calls/caller'
import { withPeople } from './requests.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('updateUser', () => {
  test('replaces the roles of a user for the next request of each session, and emits an event without personal data', async () => {
    const tenant = await world.tenant()
    const user = await tenant.member([tenant.viewerRole], { name: 'Grace' })
    const session = await user.signIn()
    const [pay, read] = [await tenant.role(['transaction:RefundTransaction']), await tenant.role(['user:ReadUser'])]
    const reply = await tenant.by().updateUser(user.id, { role_ids: [pay, read, pay.toUpperCase()] })
    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({ id: user.id, email: user.email, name: 'Grace', enabled: true })
    expect(reply.body.role_ids).toEqual([pay, read].sort())
    expect(await world.identify(session.value)).toMatchObject({ role_ids: [pay, read].sort() })
    expect((await tenant.by().readUser(user.id)).body).toEqual(reply.body)
    const event = (await tenant.events()).at(-1)
    const { email: _, name: __, ...shown } = reply.body
    expect(event).toMatchObject({ type: 'identity.users.update', business_unit_id: null })
    expect(event?.payload).toEqual({ user: shown })
  })

  test('disabling ends the sessions of the user in the tenant, and in no other; enabling revives none', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const user = await tenant.member([tenant.viewerRole])
    await world.join(other.id, user.id, [other.viewerRole])
    const [here, there] = [await user.signIn(), await world.signIn(other.id, user)]
    const disabled = await tenant.by().updateUser(user.id, { enabled: false })
    expect(disabled.body).toMatchObject({ enabled: false, role_ids: [tenant.viewerRole] })
    expect(await world.identify(here.value)).toBeNull()
    expect(await world.identify(there.value)).toMatchObject({ session_id: there.id })
    expect((await tenant.events()).map(({ type }) => type)).toEqual([
      'identity.sessions.create',
      'identity.sessions.end',
      'identity.users.update',
    ])
    expect((await tenant.by().updateUser(user.id, { enabled: true })).body.enabled).toBe(true)
    expect(await world.identify(here.value)).toBeNull()
  })

  test('names each role that the tenant does not have or is deleting, and changes nothing', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const user = await tenant.member([tenant.viewerRole])
    const doomed = await tenant.role(['user:ReadUser'])
    await world.rbac.markDeleting(tenant.id, doomed)
    const ids = [tenant.adminRole, randomUUID(), other.viewerRole, doomed]
    const reply = await tenant.by().updateUser(user.id, { role_ids: ids })
    expect(outcome(reply)).toEqual([422, 'unknown_role'])
    expect(reply.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/role_ids/1',
      '/role_ids/2',
      '/role_ids/3',
    ])
    expect((await tenant.by().readUser(user.id)).body.role_ids).toEqual([tenant.viewerRole])
    expect(await tenant.events()).toEqual([])
  })

  test.each([
    ['gives', 'viewerRole', 'adminRole'],
    ['takes', 'adminRole', 'viewerRole'],
  ] as const)('rejects a caller who %s permissions that the caller lacks, and names them', async (_, from, to) => {
    const tenant = await world.tenant()
    await tenant.member([tenant.adminRole])
    const user = await tenant.member([tenant[from]])
    const own: Permission[] = permissionNames.filter((name) => name !== 'apikey:AssignRoles')
    const reply = await tenant.by(own).updateUser(user.id, { role_ids: [tenant[to]] })
    expect(outcome(reply)).toEqual([403, 'would_exceed_own_permissions'])
    expect(reply.body.missing_permissions).toEqual(['apikey:AssignRoles'])
    expect(await tenant.events()).toEqual([])
  })

  test('rejects a caller who disables or enables a user with more permissions', async () => {
    const tenant = await world.tenant()
    await tenant.member([tenant.adminRole])
    const caller = tenant.by(['user:UpdateUser'])
    const [one, two] = [
      await tenant.member([tenant.adminRole]),
      await tenant.member([tenant.adminRole], { enabled: false }),
    ]
    expect((await caller.updateUser(one.id, { enabled: false })).body.code).toBe('would_exceed_own_permissions')
    expect((await caller.updateUser(two.id, { enabled: true })).body.code).toBe('would_exceed_own_permissions')
  })

  test('a user changes neither their own roles nor their own access; a key or the JWT of another issuer is no user', async () => {
    const tenant = await world.tenant()
    await tenant.member([tenant.adminRole])
    const user = await tenant.member([tenant.adminRole])
    const session = await user.signIn()
    for (const body of [{ enabled: false }, { role_ids: [tenant.viewerRole] }, { role_ids: [tenant.adminRole] }]) {
      expect(outcome(await session.by().updateUser(user.id, body))).toEqual([409, 'own_user'])
    }
    const { asTenant } = world.createCallers(world.app)
    const sameId = withPeople(asTenant(tenant.id, permissionNames, { type: 'user', id: user.id }))
    expect((await sameId.updateUser(user.id, { enabled: false })).status).toBe(200)
  })

  test.each([
    ['disabled', { enabled: false }],
    ['without roles', { role_ids: [] }],
  ])('the last enabled administrator cannot be %s; with another one they can', async (_, change) => {
    const tenant = await world.tenant()
    const last = await tenant.member([tenant.adminRole])
    await tenant.member([tenant.adminRole], { enabled: false })
    await tenant.member([await tenant.role(['user:UpdateUser'])])
    await tenant.member([await tenant.role(['apikey:AssignRoles'])])
    const rejected = await tenant.by().updateUser(last.id, change)
    expect(outcome(rejected)).toEqual([409, 'last_administrator'])
    expect(await tenant.events()).toEqual([])
    const parts = [await tenant.role(['user:UpdateUser']), await tenant.role(['apikey:AssignRoles'])]
    await tenant.member(parts)
    expect((await tenant.by().updateUser(last.id, change)).status).toBe(200)
  })

  test('a tenant without an administrator can change its users', async () => {
    const tenant = await world.tenant()
    const user = await tenant.member([tenant.viewerRole])
    expect((await tenant.by().updateUser(user.id, { role_ids: [] })).status).toBe(200)
  })

  test('ten at once, over two administrators: one remains', async () => {
    const tenant = await world.tenant()
    const users = [await tenant.member([tenant.adminRole]), await tenant.member([tenant.adminRole])]
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => tenant.by().updateUser(users[i % 2]?.id ?? '', { role_ids: [] })),
    )
    const admins = await tenant.by().listUsers(`?role_id=${tenant.adminRole}`)
    expect(admins.body.data).toHaveLength(1)
    expect(replies.filter(({ body }) => body.code === 'last_administrator').length).toBeGreaterThan(0)
  })

  test.each([
    ['nothing', {}, '/'],
    ['no list', { role_ids: 'admin' }, '/role_ids'],
    ['more than fifty roles', { role_ids: Array.from({ length: 51 }, () => randomUUID()) }, '/role_ids'],
  ])('rejects %s', async (_, body, pointer) => {
    const tenant = await world.tenant()
    const user = await tenant.member()
    const reply = await tenant.by().updateUser(user.id, body)
    expect(outcome(reply)).toEqual([400, 'invalid_request'])
    expect(reply.body.errors[0].pointer.startsWith(pointer === '/' ? '' : pointer)).toBe(true)
  })

  test('the user of another tenant is not found', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const user = await tenant.member()
    expect(outcome(await other.by().updateUser(user.id, { enabled: false }))).toEqual([404, 'user_not_found'])
    expect((await tenant.by().readUser(user.id)).body.enabled).toBe(true)
  })

  test('without rbac the response is 503 and nothing changes', async () => {
    const keys = new Map([['rbac', world.edgeKey]])
    const rbac = client(rbacContract, { self: 'identity', baseUrl: 'http://127.0.0.1:1', keys, timeoutMs: 500 })
    const tenant = await world.tenant(world.createAppWith({ rbac }))
    const user = await tenant.member([tenant.viewerRole])
    expect(outcome(await tenant.by().updateUser(user.id, { role_ids: [] }))).toEqual([503, 'service_unavailable'])
    expect((await tenant.by().readUser(user.id)).body.role_ids).toEqual([tenant.viewerRole])
  })
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import * as roles from '../src/store/roles.ts'
import { type ConnectedWorld, startConnectedWorld } from './connected-world.ts'
import { startWorld } from './world.ts'

/** Which changes in rbac increment the authorization epoch. The epoch itself is tested in chassis. */
let world: ConnectedWorld
beforeAll(async () => {
  world = await startConnectedWorld()
})
afterAll(() => world.stop())

/** The invalidations of a change, which increments the epoch by one. */
async function invalidatedBy(change: () => Promise<unknown>) {
  const before = await world.epoch()
  await change()
  const after = await world.epoch(before.epoch)
  expect(after).toMatchObject({ epoch: before.epoch + 1, incarnation: before.incarnation })
  return after.invalidated?.toSorted((a, b) => (a.kind < b.kind ? -1 : 1))
}

const ok = async (sent: PromiseLike<{ status: number; body: { id: string } }>) => {
  const { status, body } = await sent
  expect([200, 201, 204]).toContain(status)
  return body
}

describe('every authorization change increments the epoch by one, and names what changed', () => {
  test('creating or renaming a role names the role and the tenant, since tokens name roles', async () => {
    const tenant = await world.tenant()
    let role = { id: '' }
    const created = await invalidatedBy(async () => {
      role = await ok(tenant.by().create())
    })
    const both = [
      { kind: 'role', id: role.id },
      { kind: 'tenant', id: tenant.id },
    ]
    expect(created).toEqual(both)
    expect(await invalidatedBy(() => ok(tenant.by().update(role.id, { name: 'till' })))).toEqual(both)
  })

  test('editing or deleting a role names the role', async () => {
    const tenant = await world.tenant()
    const { id } = await ok(tenant.by().create({ permissions: ['apikey:ReadKey'] }))
    expect(await invalidatedBy(() => ok(tenant.by().update(id, { permissions: [] })))).toEqual([{ kind: 'role', id }])
    expect(await invalidatedBy(() => ok(tenant.by().remove(id)))).toEqual([{ kind: 'role', id }])
  })

  test('onboarding, suspending or resuming a tenant names the tenant', async () => {
    let id = ''
    const created = await invalidatedBy(async () => {
      id = (await world.tenant()).id
    })
    expect(created).toEqual([{ kind: 'tenant', id }])
    for (const verb of ['suspend', 'resume']) {
      const change = () => ok(world.asService.post(`/internal/tenants/${id}/${verb}`))
      expect(await invalidatedBy(change)).toEqual([{ kind: 'tenant', id }])
    }
  })
})

test('rejected, reading and replayed requests do not increment the epoch', async () => {
  const tenant = await world.tenant()
  const user = tenant.by()
  const { id } = await ok(user.create({ name: 'till' }, 'k1'))
  const before = await world.epoch()
  await user.create({ name: 'till' }, 'k1')
  await user.create({ name: 'till' })
  await user.update(tenant.adminRole, { name: 'mine' })
  await user.remove(randomUUID())
  await user.read(id)
  await tenant.resolve({ role_ids: [id] })
  await world.asService.post(`/internal/tenants/${randomUUID()}/suspend`)
  expect(await world.epoch()).toEqual(before)
})

test('a change and its epoch are one transaction: a rollback removes both', async () => {
  const tenant = await world.tenant()
  const { id } = await ok(tenant.by().create({ description: 'before' }))
  const before = await world.epoch()
  const broken = world.db.inTenant(tenant.id, async (tx) => {
    await roles.update(tx, tenant.id, id, { description: 'after' })
    recordAuthorizationChange(tx, 'role', [id])
    throw new Error('broken')
  })
  await expect(broken).rejects.toThrow('broken')
  expect((await tenant.by().read(id)).body.description).toBe('before')
  expect(await world.epoch()).toEqual(before)
})

test('when the epoch cannot be incremented, nothing changes and the response is 500', async () => {
  const isolated = await startWorld()
  try {
    const tenant = await isolated.tenant()
    const { body: role } = await tenant.by().create({ permissions: ['apikey:ReadKey'] })
    await isolated.rows('DELETE FROM authz_epoch RETURNING id')
    expect((await tenant.by().update(role.id, { permissions: [] })).status).toBe(500)
    expect((await tenant.by().read(role.id)).body).toEqual(role)
    expect(await tenant.events()).toHaveLength(1)
    await expect(isolated.epoch()).rejects.toThrow()
  } finally {
    await isolated.stop()
  }
})

test('ten edits at once are ten consecutive epochs', async () => {
  const tenant = await world.tenant()
  const roles = await Promise.all(Array.from({ length: 10 }, () => ok(tenant.by().create())))
  const before = await world.epoch()
  await Promise.all(roles.map(({ id }, i) => ok(tenant.by().update(id, { description: `${i}` }))))
  const { epoch, invalidated } = await world.epoch(before.epoch)
  expect(epoch).toBe(before.epoch + 10)
  expect(invalidated?.map(({ id }) => id).sort()).toEqual(roles.map(({ id }) => id).sort())
  const rows = await world.rows<{ epoch: bigint }>(
    'SELECT epoch FROM authz_invalidations WHERE epoch > $1::int ORDER BY epoch',
    before.epoch,
  )
  expect(rows.map((row) => Number(row.epoch) - before.epoch)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})

test('a committed change is in every epoch read that begins after its response', async () => {
  const tenant = await world.tenant()
  const { id } = await ok(tenant.by().create())
  for (let i = 0; i < 8; i += 1) {
    const before = await world.epoch()
    const others = Array.from({ length: 3 }, () => tenant.by().create())
    await ok(tenant.by().update(id, { description: `${i}` }))
    const { invalidated } = await world.epoch(before.epoch)
    expect(invalidated).toContainEqual({ kind: 'role', id })
    await Promise.all(others)
  }
})

test('statements of Prisma are prepared once, a bounded number in each session', async () => {
  const tenant = await world.tenant()
  for (let call = 0; call < 3; call += 1) await tenant.by().list()
  const prepared = await world.db.sql.$queryRawUnsafe<{ statement: string }[]>(
    'SELECT statement FROM pg_prepared_statements',
  )
  const texts = prepared.map(({ statement }) => statement)
  expect(texts.some((text) => text.includes('"roles"'))).toBe(true)
  expect([new Set(texts).size, texts.length <= 500]).toEqual([texts.length, true])
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { everyKeyHash } from '@payments/contracts/endpoints/authorization-version'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** The increment of the epoch by a call, and its invalidations. */
async function measureChange(call: () => PromiseLike<{ status: number }>) {
  const before = await world.epoch()
  const { status } = await call()
  const after = await world.epoch(before.epoch)
  expect(after.incarnation).toBe(before.incarnation)
  return { status, increment: after.epoch - before.epoch, invalidated: after.invalidated }
}

const unknownKeyHashes = { kind: 'unknown_key_hashes', id: everyKeyHash }
type Act = (tenant: TestTenant, keyId: string) => PromiseLike<{ status: number }>

const authorizationChanges: [string, Act][] = [
  ['disabling', (tenant, id) => tenant.by().update(id, { enabled: false })],
  ['an expiry', (tenant, id) => tenant.by().update(id, { expires_at: '2999-01-01T00:00:00Z' })],
  ['other addresses', (tenant, id) => tenant.by().update(id, { allowed_cidrs: ['10.0.0.0/8'] })],
  ['other roles', (tenant, id) => tenant.by().assign(id, [tenant.viewerRole])],
  ['no roles', (tenant, id) => tenant.by().assign(id, [])],
  ['a deletion', (tenant, id) => tenant.by().remove(id)],
]

const otherCalls: [string, Act][] = [
  ['a new name', (tenant, id) => tenant.by().update(id, { name: 'two', description: 'other' })],
  ['the same state again', (tenant, id) => tenant.by().update(id, { enabled: true, expires_at: null })],
  ['the same addresses again', (tenant, id) => tenant.by().update(id, { allowed_cidrs: null })],
  ['a read', (tenant, id) => tenant.by().read(id)],
  ['a reveal', (tenant, id) => tenant.by().reveal(id)],
  ['a use', (tenant, id) => world.asService.recordUses([use(tenant, id)])],
]

const use = (tenant: TestTenant, keyId: string) => ({
  api_key_id: keyId,
  tenant_id: tenant.id,
  used_at: new Date().toISOString(),
})

const rejectedCalls: [string, number, Act][] = [
  ['a deletion of itself', 409, (tenant, id) => tenant.as({ type: 'api_key', id }).remove(id)],
  ['a disabling of itself', 409, (tenant, id) => tenant.as({ type: 'api_key', id }).update(id, { enabled: false })],
  ['an unknown role', 422, (tenant, id) => tenant.by().assign(id, [randomUUID()])],
  ['more than the caller holds', 403, (tenant, id) => tenant.by(['apikey:AssignRoles']).assign(id, [tenant.adminRole])],
  ['a deletion of a missing key', 404, (tenant) => tenant.by().remove(randomUUID())],
]

describe('the epoch', () => {
  test.each(authorizationChanges)('%s increments the epoch by one and names the key', async (_, act) => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const { status, increment, invalidated } = await measureChange(() => act(tenant, created.id))
    expect(status).toBeLessThan(300)
    expect([increment, invalidated]).toEqual([1, [{ kind: 'key', id: created.id }]])
  })

  test('a rotation names the key and the unknown key hashes', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    for (const grace of [0, 60]) {
      const { increment, invalidated } = await measureChange(() => tenant.by().rotate(created.id, grace))
      expect(increment).toBe(1)
      expect(invalidated).toHaveLength(2)
      expect(invalidated).toEqual(expect.arrayContaining([{ kind: 'key', id: created.id }, unknownKeyHashes]))
    }
  })

  test('a new key and a first key invalidate the unknown key hashes', async () => {
    const tenant = await world.tenant()
    const first = { name: 'first', description: '', role_name: 'admin' }
    const named = { increment: 1, invalidated: [unknownKeyHashes] }
    expect(await measureChange(() => tenant.by().create())).toMatchObject(named)
    expect(await measureChange(() => world.asService.issueKey(tenant.id, first))).toMatchObject(named)
  })

  test.each(otherCalls)('%s does not increment the epoch', async (_, act) => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const { status, increment } = await measureChange(() => act(tenant, created.id))
    expect([status, increment]).toEqual([200, 0])
  })

  test.each(rejectedCalls)('a rejected request does not increment the epoch: %s', async (_, expected, act) => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const { status, increment } = await measureChange(() => act(tenant, created.id))
    expect([status, increment]).toEqual([expected, 0])
  })

  test('a replayed request does not increment the epoch', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const once = randomUUID()
    const { body: created } = await user.create({}, once)
    await user.rotate(created.id, 60, `${once}-rotate`)
    expect(await measureChange(() => user.create({}, once))).toMatchObject({ status: 201, increment: 0 })
    expect(await measureChange(() => user.rotate(created.id, 60, `${once}-rotate`))).toMatchObject({
      status: 200,
      increment: 0,
    })
  })

  test('when the epoch cannot be incremented, the key is not deleted and no event is written', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const [row] = await world.rows<{ epoch: string }>(
      `DELETE FROM authz_epoch RETURNING epoch::text, incarnation::text`,
    )
    expect((await tenant.by().remove(created.id)).status).toBe(500)
    await world.rows(
      `INSERT INTO authz_epoch (epoch, incarnation) SELECT epoch, incarnation FROM jsonb_to_record($1::jsonb) AS saved (epoch bigint, incarnation uuid)`,
      JSON.stringify(row),
    )
    expect((await tenant.by().read(created.id)).status).toBe(200)
    expect(await tenant.events()).toHaveLength(1)
    expect((await tenant.by().remove(created.id)).status).toBe(204)
  })

  test('ten concurrent changes of ten keys are ten consecutive epochs, each key named once', async () => {
    const tenant = await world.tenant()
    const created = await Promise.all(Array.from({ length: 10 }, () => tenant.by().create()))
    const ids = created.map(({ body }) => body.id as string)
    const before = await world.epoch()
    await Promise.all(ids.map((id) => tenant.by().remove(id)))
    const after = await world.epoch(before.epoch)
    expect(after.epoch).toBe(before.epoch + 10)
    expect(after.invalidated?.map(({ id }) => id).sort()).toEqual(ids.sort())
  })
})

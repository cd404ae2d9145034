import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { endedCredentialHeader } from '@payments/chassis/base/ended-credential'
import type { Permission } from '@payments/contracts/grammar/permission'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const held: Permission[] = [
  'apikey:AssignRoles',
  'apikey:DeleteKey',
  'apikey:RotateKey',
  'apikey:UpdateKey',
  'user:UpdateUser',
]

async function administrators(tenant: TestTenant, count: number) {
  const role = await tenant.role(held)
  return Promise.all(
    Array.from({ length: count }, async () => {
      const { body: created } = await tenant.by().create()
      await tenant.by().assign(created.id, [role])
      return {
        id: created.id as string,
        value: created.value,
        caller: tenant.as({ type: 'api_key', id: created.id }, held),
      }
    }),
  )
}

type Disarm = (
  caller: Awaited<ReturnType<typeof administrators>>[number]['caller'],
  id: string,
) => ReturnType<typeof caller.remove>

describe('administrators that disarm each other', () => {
  test.each<[string, Disarm]>([
    ['delete', (caller, id) => caller.remove(id)],
    ['disable', (caller, id) => caller.update(id, { enabled: false })],
    ['expire', (caller, id) => caller.update(id, { expires_at: '2020-01-01T00:00:00.000Z' })],
    ['take the roles of', (caller, id) => caller.assign(id, [])],
  ])('ten keys that %s the next one at once leave a usable administrator', async (_, disarm) => {
    const tenant = await world.tenant()
    const keys = await administrators(tenant, 10)
    const replies = await Promise.all(
      keys.map(({ caller }, i) => disarm(caller, keys[(i + 1) % keys.length]?.id ?? '')),
    )
    for (const { status, body } of replies) {
      expect([200, 204, 'invalid_credentials', 'would_exceed_own_permissions']).toContain(body.code ?? status)
    }
    const identities = await Promise.all(keys.map(({ value }) => world.asService.identifyValue(value)))
    const usable = identities.filter((identity) => identity?.enabled === true && identity.role_ids.length > 0)
    expect(usable.length).toBeGreaterThan(0)
    expect(usable.length).toBeLessThan(10)
  })

  test.each<[string, Disarm]>([
    ['deleted', (caller, id) => caller.remove(id)],
    ['disabled', (caller, id) => caller.update(id, { enabled: false })],
  ])('a key that was %s changes no other key: invalid_credentials', async (_, disarm) => {
    const tenant = await world.tenant()
    const [first, second] = await administrators(tenant, 2)
    if (first === undefined || second === undefined) throw new Error('two keys were created')
    expect((await disarm(first.caller, second.id)).status).toBeLessThan(300)
    const events = await tenant.events()
    for (const reply of [
      await second.caller.remove(first.id),
      await second.caller.update(first.id, { enabled: false }),
      await second.caller.assign(first.id, []),
      await second.caller.rotate(first.id),
    ]) {
      expect([reply.status, reply.body.code]).toEqual([401, 'invalid_credentials'])
      expect(reply.headers).toHaveProperty(endedCredentialHeader)
    }
    expect(await tenant.events()).toEqual(events)
  })
})

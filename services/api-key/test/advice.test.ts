import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from '@jest/globals'
import type { Permission } from '@payments/contracts/grammar/permission'
import { problems } from '@payments/contracts/services/api-key/problems'
import { type Advice, adviceSuite } from '@payments/testing/suites/advice'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

type User = ReturnType<TestTenant['by']>

/** A new API key, and the requests that it sends itself. */
async function tenantWithKey() {
  const tenant = await world.tenant()
  const own: Permission[] = ['apikey:AssignRoles', 'apikey:DeleteKey', 'apikey:RotateKey', 'apikey:UpdateKey']
  const id = (await tenant.by().create()).body.id as string
  await tenant
    .by()
    .assign(id, [await tenant.role(own)])
    .expect(200)
  return { tenant, id, user: tenant.by(), itself: tenant.as({ type: 'api_key', id }, own) }
}

const another = (what: string, send: (by: User, id: string) => ReturnType<User['read']>): Advice => ({
  problem: 'own_key',
  advice: `${what} with another credential`,
  given: async () => {
    const { id, user, itself } = await tenantWithKey()
    return { rejected: () => send(itself, id), advised: () => send(user, id) }
  },
})

const create = (body: object) => async () => (await world.tenant()).by().create(body)
const inHours = (hours: number) => ({ expires_at: new Date(Date.now() + hours * 3_600_000).toISOString() })

adviceSuite(problems, [
  another('delete the API key', (by, id) => by.remove(id)),
  another('disable the API key', (by, id) => by.update(id, { enabled: false })),
  another('expire the API key', (by, id) => by.update(id, inHours(-1))),
  another('narrow the addresses of the API key', (by, id) => by.update(id, { allowed_cidrs: ['10.0.0.0/8'] })),
  another('take the roles of the API key', (by, id) => by.assign(id, [])),
  ...[60, undefined].map(
    (grace): Advice => ({
      problem: 'grace_period_too_short',
      advice: `send ${grace ?? 'nothing'}`,
      given: async () => {
        const { id, itself } = await tenantWithKey()
        return { rejected: () => itself.rotate(id, 0), advised: () => itself.rotate(id, grace) }
      },
    }),
  ),
  {
    problem: 'too_many_keys',
    advice: 'delete an unused one',
    given: async () => {
      const user = (await world.tenant()).by()
      const { id } = (await user.create()).body
      await world.rows(
        `INSERT INTO keys (id, tenant_id, name, description, environment, masked_value, value_encrypted, pepper_kid, index_hmac, created_by, updated_at)
         SELECT gen_random_uuid(), tenant_id, name, description, environment, masked_value, value_encrypted, 'none',
                decode(md5(id::text || n), 'hex'), created_by, updated_at
           FROM keys, generate_series(1, 999) n WHERE id = $1::uuid RETURNING id`,
        id,
      )
      const advised = async () => {
        await user.remove(id).expect(204)
        return user.create()
      }
      return { rejected: () => user.create(), advised }
    },
  },
  ...[inHours(1), { expires_at: null }].map(
    (expiry): Advice => ({
      problem: 'expiry_in_the_past',
      advice: expiry.expires_at === null ? 'send null' : 'send an instant in the future',
      given: async () => ({ rejected: create(inHours(-1)), advised: create(expiry) }),
    }),
  ),
  {
    problem: 'value_replaced',
    advice: 'reveal the API key',
    given: async () => {
      const { user } = await tenantWithKey()
      const [body, key] = [{ name: 'replaced' }, randomUUID()]
      const { id } = (await user.create(body, key)).body
      await user.rotate(id, 0).expect(200)
      return { rejected: () => user.create(body, key), advised: () => user.reveal(id) }
    },
  },
])

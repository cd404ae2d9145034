import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from '@jest/globals'
import { commonProblems } from '@payments/contracts/grammar/problem'
import { adviceSuite } from '@payments/testing/suites/advice'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const roles = '/v1/rbac/roles'
/** The client of the platform follows the advice to send a request again later. */
const laterByClient = 'packages/client/test/retry.test.ts'

/** A new tenant, and the creation of a role by its administrator. */
async function creation() {
  const tenant = await world.tenant()
  const post = () => world.send('post', roles, tenant.admin)
  return { tenant, post, create: (body: object) => post().send({ permissions: [], ...body }) }
}

adviceSuite(
  commonProblems,
  [
    {
      problem: 'permission_denied',
      advice: 'attach a role that grants the permission to the API key',
      given: async () => {
        const { tenant, create } = await creation()
        const key = await tenant.keyWith([])
        const list = () => world.send('get', roles, key)
        const advised = async ({ detail }: Record<string, string>) => {
          const permission = /\b\w+:\w+\b/.exec(String(detail))?.[0]
          const { body: role } = await create({ name: 'Reader', permissions: [permission] }).expect(201)
          const path = `/v1/api-key/keys/${key.id}/roles`
          await world
            .send('put', path, tenant.admin)
            .send({ role_ids: [role.id] })
            .expect(200)
          return list()
        }
        return { rejected: list, advised }
      },
    },
    {
      problem: 'tenant_suspended',
      advice: 'contact support',
      given: async () => {
        const { tenant } = await creation()
        await tenant.suspend()
        const list = () => world.send('get', roles, tenant.admin)
        const advised = async () => {
          await world.rbac.client.resumeTenant({ traceId: randomUUID() }, { params: { tenant_id: tenant.id } })
          return list()
        }
        return { rejected: list, advised }
      },
    },
    {
      problem: 'invalid_request',
      advice: 'correct the fields and send the request again',
      given: async () => {
        const { create } = await creation()
        const advised = ({ errors }: { errors: { pointer: string }[] }) =>
          create(Object.fromEntries(errors.map(({ pointer }) => [pointer.slice(1), 'Reader'])))
        return { rejected: () => create({ name: 7 }), advised }
      },
    },
    {
      problem: 'unsupported_media_type',
      advice: 'send JSON with its Content-Type',
      given: async () => {
        const { post, create } = await creation()
        return {
          rejected: () => post().type('text/plain').send('{"name":"Reader","permissions":[]}'),
          advised: () => create({ name: 'Reader' }),
        }
      },
    },
    {
      problem: 'idempotency_key_reused',
      advice: 'use a new key for a different request',
      given: async () => {
        const { create } = await creation()
        await create({ name: 'Reader' }).set('Idempotency-Key', 'one').expect(201)
        const writer = (key: string) => create({ name: 'Writer' }).set('Idempotency-Key', key)
        return { rejected: () => writer('one'), advised: () => writer('two') }
      },
    },
  ],
  {
    invalid_request_target: 'gateway/test/request-target.test.ts',
    raw_card_data_not_allowed: 'test/no-card-data.test.ts',
    session_of_another_tenant: 'test/console/choose-tenant.test.ts',
    step_up_required: 'gateway/test/step-up.test.ts',
    would_exceed_own_permissions: 'services/rbac/test/delete-role.test.ts',
    cross_site_request: 'gateway/test/session-pages.test.ts',
    request_timeout: laterByClient,
    idempotency_key_in_use: laterByClient,
    rate_limited: laterByClient,
    authorization_unavailable: laterByClient,
    audit_unavailable: 'gateway/test/audit.test.ts',
    service_unavailable: laterByClient,
    upstream_timeout: laterByClient,
  },
)

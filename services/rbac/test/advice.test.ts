import { afterAll, beforeAll } from '@jest/globals'
import type { Permission } from '@payments/contracts/grammar/permission'
import { administratorPermissions } from '@payments/contracts/problems/administrators'
import { problems } from '@payments/contracts/services/rbac/contract'
import { adviceSuite } from '@payments/testing/suites/advice'
import { rolesMax } from '../src/domain/role.ts'
import { type ConnectedWorld, startConnectedWorld } from './connected-world.ts'

let world: ConnectedWorld
beforeAll(async () => {
  world = await startConnectedWorld()
})
afterAll(() => world.stop())

const editing: readonly Permission[] = ['rbac:UpdateRole']

async function tenantWithRole(permissions: readonly Permission[] = editing) {
  const tenant = await world.tenant()
  const role = (await tenant.by().create({ permissions })).body.id as string
  const user = async (roleIds: string[] = [role]) => {
    const [row] = await world.user(tenant.id, roleIds)
    return `/v1/identity/users/${String(row?.['user_id'])}`
  }
  return {
    tenant,
    role,
    user,
    identity: world.identityAs(tenant.id),
    remove: () => tenant.by().remove(role),
    take: (by = tenant.by()) => by.update(role, { permissions: [] }),
  }
}

adviceSuite(
  problems,
  [
    {
      problem: 'role_name_taken',
      advice: 'choose another name',
      given: async () => {
        const tenant = await world.tenant()
        const create = (name: string) => tenant.by().create({ name })
        return { rejected: () => create('viewer'), advised: () => create('viewer of keys') }
      },
    },
    {
      problem: 'too_many_roles',
      advice: 'delete an unused one',
      given: async () => {
        const tenant = await world.tenant()
        const [unused] = await world.rows<{ id: string }>(
          `INSERT INTO roles (id, tenant_id, name, name_key, description, kind, permissions, updated_at)
           SELECT gen_random_uuid(), $1::uuid, 'role ' || n, 'role ' || n, '', 'custom', '{}', now()
           FROM generate_series(1, $2::int) AS n RETURNING id::text`,
          tenant.id,
          rolesMax,
        )
        const create = () => tenant.by().create()
        const advised = async () => {
          await tenant
            .by()
            .remove(unused?.id ?? '')
            .expect(204)
          return create()
        }
        return { rejected: create, advised }
      },
    },
    {
      problem: 'built_in_role',
      advice: 'create a custom role instead',
      given: async () => {
        const tenant = await world.tenant()
        return {
          rejected: () => tenant.by().update(tenant.viewerRole, { permissions: editing }),
          advised: () => tenant.by().create({ permissions: editing }),
        }
      },
    },
    {
      problem: 'role_in_use',
      advice: 'replace the roles of the API keys',
      given: async () => {
        const { tenant, role, remove } = await tenantWithRole()
        const { id } = await world.key(tenant.id, [role])
        const advised = async () => {
          const path = `/v1/api-key/keys/${id}/roles`
          await world
            .apiKeyAs(tenant.id)
            .put(path, { role_ids: [tenant.viewerRole] })
            .expect(200)
          return remove()
        }
        return { rejected: remove, advised }
      },
    },
    {
      problem: 'role_in_use',
      advice: 'replace the roles of the users',
      given: async () => {
        const { tenant, user, identity, remove } = await tenantWithRole()
        const path = await user()
        const advised = async () => {
          await identity.patch(path, { role_ids: [tenant.viewerRole] }).expect(200)
          return remove()
        }
        return { rejected: remove, advised }
      },
    },
    {
      problem: 'role_in_use',
      advice: 'cancel the user invitations',
      given: async () => {
        const { role, identity, remove } = await tenantWithRole()
        const path = '/v1/identity/user-invitations'
        const { body } = await identity.post(path, { email: 'ada@example.com', role_ids: [role] }).expect(201)
        const advised = async () => {
          await identity.post(`${path}/${body.id}/cancel`).expect(200)
          return remove()
        }
        return { rejected: remove, advised }
      },
    },
    {
      problem: 'own_key',
      advice: 'use another credential',
      given: async () => {
        const { tenant, role, take } = await tenantWithRole()
        const { id } = await world.key(tenant.id, [role])
        return { rejected: () => take(tenant.byKey(id, editing)), advised: () => take() }
      },
    },
    {
      problem: 'own_user',
      advice: 'another administrator can',
      given: async () => {
        const { tenant, role, take } = await tenantWithRole()
        return {
          rejected: () => take(tenant.bySession([role])),
          advised: () => take(tenant.bySession([tenant.adminRole])),
        }
      },
    },
    {
      problem: 'last_administrator',
      advice: 'give another user such a role first',
      given: async () => {
        const { tenant, user, identity, take } = await tenantWithRole(administratorPermissions)
        await user()
        const other = await user([])
        const advised = async () => {
          await identity.patch(other, { role_ids: [tenant.adminRole] }).expect(200)
          return take()
        }
        return { rejected: () => take(), advised }
      },
    },
  ],
  { role_being_deleted: 'services/rbac/test/delete-role.test.ts' },
)

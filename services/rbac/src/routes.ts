import type { Handlers } from '@payments/chassis/request/router'
import type { rbac } from '@payments/contracts/services/rbac/contract'
import type { Deps } from './deps.ts'
import { toRoleChanges } from './domain/role.ts'
import { createRole } from './verbs/create-role.ts'
import { createTenant } from './verbs/create-tenant.ts'
import { deleteRole } from './verbs/delete-role.ts'
import { listPermissions } from './verbs/list-permissions.ts'
import { listRoles, readRole, resolveRoles } from './verbs/read-roles.ts'
import { listTenants, readTenant, readTenantNames } from './verbs/read-tenants.ts'
import { setTenantStatus } from './verbs/set-tenant-status.ts'
import { updateRole } from './verbs/update-role.ts'

export const routes = (deps: Deps): Handlers<typeof rbac> => ({
  listPermissions: (_, { query }) => listPermissions(query),
  listRoles: (caller, { query }) => listRoles(deps, caller, query),
  readRole: (caller, { params }) => readRole(deps, caller, params.role_id),
  createRole: (caller, { body }) => createRole(deps, caller, body),
  updateRole: (caller, { params, body }) => updateRole(deps, caller, params.role_id, toRoleChanges(body)),
  deleteRole: (caller, { params }) => deleteRole(deps, caller, params.role_id),
  resolveRoles: (_, { params, body: { role_ids: ids, role_names: names, purpose } }) =>
    resolveRoles(deps, params.tenant_id, { ids, names, purpose }),
  createTenant: (_, { body }) => createTenant(deps, body.name),
  listTenants: (_, { query: { status, ...page } }) => listTenants(deps, status, page),
  readTenant: (_, { params }) => readTenant(deps, params.tenant_id),
  readTenantNames: (_, { body }) => readTenantNames(deps, body.tenant_ids),
  suspendTenant: (_, { params }) => setTenantStatus(deps, params.tenant_id, 'suspended'),
  resumeTenant: (_, { params }) => setTenantStatus(deps, params.tenant_id, 'active'),
})

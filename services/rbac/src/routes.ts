import type { Handlers } from '@payments/chassis/router'
import type { rbac } from '@payments/contracts/rbac'
import type { Deps } from './deps.ts'
import { createTenant } from './verbs/create-tenant.ts'
import { listPermissions } from './verbs/list-permissions.ts'
import { listRoles } from './verbs/list-roles.ts'
import { readRole } from './verbs/read-role.ts'
import { readTenant } from './verbs/read-tenant.ts'
import { resolveRoles } from './verbs/resolve-roles.ts'
import { resumeTenant } from './verbs/resume-tenant.ts'
import { suspendTenant } from './verbs/suspend-tenant.ts'

export const routes = (deps: Deps): Handlers<typeof rbac> => ({
  listPermissions: () => listPermissions(),
  listRoles: (caller, { query }) => listRoles(deps, caller, query),
  readRole: (caller, { params }) => readRole(deps, caller, params.role_id),
  resolveRoles: (_, { params, body }) => resolveRoles(deps, params.tenant_id, body.role_ids, body.role_names),
  createTenant: (_, { body }) => createTenant(deps, body.name),
  readTenant: (_, { params }) => readTenant(deps, params.tenant_id),
  suspendTenant: (_, { params }) => suspendTenant(deps, params.tenant_id),
  resumeTenant: (_, { params }) => resumeTenant(deps, params.tenant_id),
})

import { readOnPrimary } from '@payments/chassis/database/authorization-version'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/rbac/contract'
import type { Deps } from '../deps.ts'
import { catalogue, grantedPermissions, unionPermissions } from '../domain/role.ts'
import { type GrantingRole, selectGrantingRoles } from '../store/roles.ts'
import { selectTenantStatus, type TenantRow } from '../store/tenants.ts'

interface RoleQuery {
  readonly ids: readonly string[]
  readonly names: readonly string[]
  /** `assign` excludes roles that are being deleted. */
  readonly purpose: 'authorize' | 'assign'
}

/**
 * The permissions that roles grant now, and the status of their tenant. Throws tenant_not_found, and an error on a
 * server in recovery.
 */
export async function resolveRoles(deps: Deps, tenantId: string, { ids, names, purpose }: RoleQuery) {
  const [[tenant], found] = await readOnPrimary<[Pick<TenantRow, 'status'>[], GrantingRole[]]>(deps.db, tenantId, [
    selectTenantStatus(tenantId),
    selectGrantingRoles(tenantId, { ids, names }),
  ])
  if (tenant === undefined) throw new Problem(problems.tenant_not_found)
  const roles = found.filter(({ isDeleting }) => purpose === 'authorize' || !isDeleting)
  const knownIds = new Set(roles.map((role) => role.id))
  const knownNames = new Set(roles.map((role) => role.name))
  return {
    tenant_status: tenant.status,
    roles: roles.map((role) => ({ id: role.id, name: role.name, permissions: grantedPermissions(role) })),
    permissions: unionPermissions(roles),
    unknown: [...ids.filter((id) => !knownIds.has(id)), ...names.filter((name) => !knownNames.has(name))],
    catalogue,
  }
}

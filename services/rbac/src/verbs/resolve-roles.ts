import { requirePrimary } from '@payments/chassis/database/authorization-version'
import { introducedPermissions, type Permission } from '@payments/contracts/grammar/permission'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/rbac/contract'
import type { Deps } from '../deps.ts'
import { catalogue, permissionsOf, permissionsOfAll } from '../domain/role.ts'
import { findRoles, listDeleting } from '../store/roles.ts'
import { findTenant } from '../store/tenants.ts'

interface RoleQuery {
  readonly ids: readonly string[]
  readonly names: readonly string[]
  /** `assign` excludes roles that are being deleted. */
  readonly purpose: 'authorize' | 'assign'
  /** The process that called. */
  readonly reader: string
}

/**
 * The permissions that roles grant now, and the status of their tenant. Throws tenant_not_found, and an error on a
 * server in recovery.
 */
export function resolveRoles(deps: Deps, tenantId: string, { ids, names, purpose, reader }: RoleQuery) {
  // A gateway of the previous release rejects a name that it does not know. Other processes must not miss any.
  const isIntroduced = (permission: string) => reader === 'gateway' && introducedPermissions.has(permission)
  const known = (granted: Permission[]) => granted.filter((permission) => !isIntroduced(permission))
  return deps.db.inTenant(tenantId, async (tx) => {
    await requirePrimary(tx)
    const tenant = await findTenant(tx, tenantId)
    if (tenant === null) throw new Problem(problems.tenant_not_found)
    const deleting = purpose === 'assign' ? await listDeleting(tx, tenantId) : new Set<string>()
    const roles = (await findRoles(tx, tenantId, { ids, names })).filter((role) => !deleting.has(role.id))
    const knownIds = new Set(roles.map((role) => role.id))
    const knownNames = new Set(roles.map((role) => role.name))
    const granted = permissionsOfAll(roles)
    return {
      tenant_status: tenant.status,
      roles: roles.map((role) => ({ id: role.id, name: role.name, permissions: known(permissionsOf(role)) })),
      permissions: known(granted),
      introduced: granted.filter(isIntroduced),
      unknown: [...ids.filter((id) => !knownIds.has(id)), ...names.filter((name) => !knownNames.has(name))],
      catalogue,
    }
  })
}

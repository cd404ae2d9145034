import type { Caller } from '@payments/chassis/base/caller'
import { readOnPrimary } from '@payments/chassis/database/authorization-version'
import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems, type Role } from '@payments/contracts/services/rbac/contract'
import type { Deps } from '../deps.ts'
import { catalogue, grantedPermissions, presentRole, unionPermissions } from '../domain/role.ts'
import * as roles from '../store/roles.ts'
import { selectTenantStatus, type TenantRow } from '../store/tenants.ts'

/** Throws role_not_found. */
export async function readRole({ db }: Deps, { tenantId }: Caller, roleId: string): Promise<Role> {
  const role = await db.readInTenant(tenantId, (tx) => roles.findRole(tx, tenantId, roleId))
  if (role === null) throw new Problem(problems.role_not_found)
  return presentRole(role)
}

export async function listRoles({ db }: Deps, { tenantId }: Caller, { cursor, limit }: PageQuery): Promise<Page<Role>> {
  const page = { before: idBefore(cursor), limit }
  const rows = await db.readInTenant(tenantId, (tx) => roles.list(tx, tenantId, page))
  return toPage(rows, limit, presentRole)
}

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
export async function resolveRoles({ db }: Deps, tenantId: string, { ids, names, purpose }: RoleQuery) {
  const [[tenant], found] = await readOnPrimary<[Pick<TenantRow, 'status'>[], roles.GrantingRole[]]>(db, tenantId, [
    selectTenantStatus(tenantId),
    roles.selectGrantingRoles(tenantId, { ids, names }),
  ])
  if (tenant === undefined) throw new Problem(problems.tenant_not_found)
  const granting = found.filter(({ isDeleting }) => purpose === 'authorize' || !isDeleting)
  const knownIds = new Set(granting.map((role) => role.id))
  const knownNames = new Set(granting.map((role) => role.name))
  return {
    tenant_status: tenant.status,
    roles: granting.map((role) => ({ id: role.id, name: role.name, permissions: grantedPermissions(role) })),
    permissions: unionPermissions(granting),
    unknown: [...ids.filter((id) => !knownIds.has(id)), ...names.filter((name) => !knownNames.has(name))],
    catalogue,
  }
}

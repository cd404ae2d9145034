import type { Caller } from '@payments/chassis/base/caller'
import { permission } from '@payments/contracts/grammar/field'
import type { Permission } from '@payments/contracts/grammar/permission'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import type { GrantingRole } from '../domain/role.ts'

const known = z.array(permission)

/**
 * The permissions that roles grant, together and for each role, from rbac, and the ids that are no roles of the tenant.
 * A deleted role grants nothing. Throws for a permission that this release does not know: no comparison with the
 * permissions of a caller may miss it.
 */
export async function resolveRoles(
  deps: Pick<Deps, 'rbac'>,
  caller: Pick<Caller, 'tenantId' | 'traceId'>,
  roleIds: readonly string[],
  purpose: 'authorize' | 'assign' = 'authorize',
): Promise<{ permissions: readonly Permission[]; roles: readonly GrantingRole[]; unknown: readonly string[] }> {
  if (roleIds.length === 0) return { permissions: [], roles: [], unknown: [] }
  const { permissions, roles, unknown } = await deps.rbac.resolveRoles(
    { traceId: caller.traceId },
    { params: { tenant_id: caller.tenantId }, body: { role_ids: [...roleIds], purpose } },
  )
  return {
    permissions: known.parse(permissions),
    roles: roles.map((role) => ({ ...role, permissions: known.parse(role.permissions) })),
    unknown,
  }
}

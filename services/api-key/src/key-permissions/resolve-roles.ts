import type { Caller } from '@payments/chassis/base/caller'
import type { Permission } from '@payments/contracts/grammar/permission'
import type { Deps } from '../deps.ts'
import type { GrantingRole } from '../domain/role.ts'

/** The permissions that roles grant, together and for each role, from rbac. A deleted role grants nothing. */
export async function resolveRoles(
  deps: Pick<Deps, 'rbac'>,
  caller: Pick<Caller, 'tenantId' | 'traceId'>,
  roleIds: readonly string[],
): Promise<{ permissions: readonly Permission[]; roles: readonly GrantingRole[] }> {
  if (roleIds.length === 0) return { permissions: [], roles: [] }
  return deps.rbac.resolveRoles(
    { traceId: caller.traceId },
    { params: { tenant_id: caller.tenantId }, body: { role_ids: [...roleIds] } },
  )
}

import { permission } from '@payments/contracts/grammar/field'
import type { Permission } from '@payments/contracts/grammar/permission'
import { Problem } from '@payments/contracts/grammar/problem'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import type { Grants } from '../domain/permissions.ts'

/** Role ids of one call of rbac. */
const batchMax = 50
const known = z.array(permission)

/**
 * The permissions that roles grant, from rbac, never inside a transaction. With the purpose `assign`, a role that is
 * being deleted is unknown. An unknown role grants nothing, and neither does a role of an unknown tenant.
 * Throws for a permission that this release does not know, since no comparison with a caller may miss it.
 */
export async function resolveGrants(
  deps: Pick<Deps, 'rbac'>,
  { tenantId, traceId }: { readonly tenantId: string; readonly traceId: string },
  roleIds: readonly string[],
  purpose: 'authorize' | 'assign',
): Promise<{ readonly grants: Grants; readonly unknown: readonly string[] }> {
  const ids = [...new Set(roleIds)]
  const grants = new Map<string, readonly Permission[]>(ids.map((id) => [id, []]))
  const unknown: string[] = []
  for (let from = 0; from < ids.length; from += batchMax) {
    const batch = ids.slice(from, from + batchMax)
    const call = { params: { tenant_id: tenantId }, body: { role_ids: batch, purpose } }
    const resolved = await deps.rbac.resolveRoles({ traceId }, call).catch((error: unknown) => {
      if (error instanceof Problem && error.code === 'tenant_not_found') return { roles: [], unknown: batch }
      throw error
    })
    for (const { id, permissions } of resolved.roles) grants.set(id, known.parse(permissions))
    unknown.push(...resolved.unknown)
  }
  return { grants, unknown }
}

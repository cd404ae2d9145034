import type { Caller } from '@payments/chassis/base/caller'
import { type Page, type PageQuery, pageByName } from '@payments/contracts/grammar/page'
import type { Permission } from '@payments/contracts/grammar/permission'
import { Problem } from '@payments/contracts/grammar/problem'
import { type ExplainedPermission, problems } from '@payments/contracts/services/api-key/contract'
import type { Deps } from '../deps.ts'
import { listRoleIds } from '../domain/key.ts'
import { explainPermissions } from '../domain/role.ts'
import { resolveRoles } from '../key-permissions/resolve-roles.ts'
import { findKey } from '../store/keys.ts'

/** The permissions that the roles of the key grant, also for a disabled key. Throws key_not_found. */
export async function readKeyPermissions(
  deps: Deps,
  caller: Caller,
  keyId: string,
  { explain, ...query }: PageQuery & { explain: boolean },
): Promise<{ data: Permission[] | ExplainedPermission[]; next_cursor: string | null }> {
  const key = await deps.db.readInTenant(caller.tenantId, (tx) => findKey(tx, caller.tenantId, keyId))
  if (key === null) throw new Problem(problems.key_not_found)
  const { permissions, roles } = await resolveRoles(deps, caller, listRoleIds(key))
  const page: Page<Permission> = pageByName(permissions, (name) => name, query)
  return explain ? { ...page, data: explainPermissions(page.data, roles) } : page
}

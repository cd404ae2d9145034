import type { CallerWithPermissions } from '@payments/chassis/base/caller'
import type { Permission } from '@payments/contracts/grammar/permission'
import { Problem } from '@payments/contracts/grammar/problem'
import { type OwnKey, problems } from '@payments/contracts/services/api-key/contract'
import type { Deps } from '../deps.ts'
import { listRoleIds, presentKey } from '../domain/key.ts'
import type { NamedRole } from '../domain/role.ts'
import { resolveRoles } from '../key-permissions/resolve-roles.ts'
import { findKey } from '../store/keys.ts'

/** Throws not_an_api_key for a user. Throws key_not_found when the key was deleted after its authentication. */
export async function readOwnKey(deps: Deps, caller: CallerWithPermissions): Promise<OwnKey> {
  const { tenantId, actor } = caller
  if (actor.type !== 'api_key') throw new Problem(problems.not_an_api_key)
  const key = await deps.db.readInTenant(tenantId, (tx) => findKey(tx, tenantId, actor.id))
  if (key === null) throw new Problem(problems.key_not_found)
  const { permissions, roles } = findAssertedGrant(caller) ?? (await resolveRoles(deps, caller, listRoleIds(key)))
  const named = roles.map(({ id, name }) => ({ id, name })).sort((a, b) => (a.name < b.name ? -1 : 1))
  return { ...presentKey(key, new Date()), tenant_id: tenantId, roles: named, permissions: [...permissions].sort() }
}

interface Granted {
  readonly permissions: Iterable<Permission>
  readonly roles: readonly NamedRole[]
}

/**
 * The roles and permissions that the gateway resolved under its leases for this request. Undefined without the names of
 * the roles, which the gateway leaves out when they are long.
 */
function findAssertedGrant({ permissions, roleIds, roleNames }: CallerWithPermissions): Granted | undefined {
  if (roleIds === null || roleNames === null) return undefined
  return { permissions, roles: roleIds.map((id, index) => ({ id, name: roleNames[index] ?? '' })) }
}

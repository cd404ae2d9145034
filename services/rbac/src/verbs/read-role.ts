import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems, type Role } from '@payments/contracts/services/rbac/contract'
import type { Deps } from '../deps.ts'
import { presentRole } from '../domain/role.ts'
import { findRole } from '../store/roles.ts'

/** Throws role_not_found. */
export async function readRole(deps: Deps, caller: Caller, roleId: string): Promise<Role> {
  const role = await deps.db.readInTenant(caller.tenantId, (tx) => findRole(tx, caller.tenantId, roleId))
  if (role === null) throw new Problem(problems.role_not_found)
  return presentRole(role)
}

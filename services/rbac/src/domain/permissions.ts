import type { Permission } from '@payments/contracts/grammar/permission'
import { Problem } from '@payments/contracts/grammar/problem'
import { administratorPermissions } from '@payments/contracts/problems/administrators'
import { problems } from '@payments/contracts/services/rbac/contract'

/**
 * For a caller that edits a role it has: the edited role and the other roles of the caller must still grant each
 * permission of the role. A caller could not restore a lost permission, since it grants only permissions it holds.
 * Throws own_key with the permissions that the key would lose, own_user for a user.
 */
export function rejectLossOfOwnPermissions(
  { type }: { readonly type: 'api_key' | 'user' },
  current: readonly Permission[],
  retained: readonly Permission[],
): void {
  const lost = current.filter((permission) => !retained.includes(permission))
  if (lost.length === 0) return
  if (type === 'user') throw new Problem(problems.own_user)
  throw new Problem(problems.own_key, { extensions: { lost_permissions: lost } })
}

/** Whether a user with these permissions administers the tenant. */
export function isAdministrator(granted: readonly Permission[]): boolean {
  return administratorPermissions.every((permission) => granted.includes(permission))
}

/** Whether an edit takes a permission of administrators from a role. */
export function takesAdministration(before: readonly Permission[], after: readonly Permission[]): boolean {
  return administratorPermissions.some((permission) => before.includes(permission) && !after.includes(permission))
}

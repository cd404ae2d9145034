import { missingPermissions, type Permission } from '@payments/contracts/grammar/permission'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/rbac/contract'

/**
 * The no-privilege-escalation rule: a caller creates, edits or deletes only roles whose permissions the caller holds.
 * Throws would_exceed_own_permissions with the permissions of `granted` that the holder lacks.
 */
export function requireHeldPermissions(
  holder: { readonly permissions: ReadonlySet<Permission> },
  granted: readonly Permission[],
): void {
  const missing = missingPermissions(holder.permissions, granted)
  if (missing.length === 0) return
  throw new Problem(commonProblems.would_exceed_own_permissions, { extensions: { missing_permissions: missing } })
}

/**
 * For a key that edits one of its own roles: the edited role and the other roles of the key must still grant each
 * permission of the role. A key could not restore a lost permission, since a caller grants only permissions it holds.
 * Throws own_key with the permissions that the key would lose.
 */
export function rejectLossOfOwnPermissions(current: readonly Permission[], retained: readonly Permission[]): void {
  const lost = current.filter((permission) => !retained.includes(permission))
  if (lost.length > 0) throw new Problem(problems.own_key, { extensions: { lost_permissions: lost } })
}

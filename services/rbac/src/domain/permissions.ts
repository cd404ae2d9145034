import type { Permission } from '@payments/contracts/permission'
import { commonProblems, Problem } from '@payments/contracts/problem'
import { problems } from '@payments/contracts/rbac'

/**
 * The monotone rule: nobody makes a role that grants more than they hold, nor changes or deletes one that stands above them.
 * Throws would_exceed_own_permissions, naming what the holder lacks.
 */
export function requireHeldPermissions(
  holder: { readonly permissions: ReadonlySet<Permission> },
  granted: readonly Permission[],
): void {
  const missing = [...new Set(granted)].filter((permission) => !holder.permissions.has(permission)).sort()
  if (missing.length === 0) return
  throw new Problem(commonProblems.would_exceed_own_permissions, { extensions: { missing_permissions: missing } })
}

/**
 * For a key that edits one of its own roles: each permission of the role stays granted, by the role as it will be or by another
 * of its roles. What the key gave up it could not give back, since no caller grants what they do not hold.
 * Throws own_key, naming what the key would lose.
 */
export function rejectLossOfOwnPermissions(present: readonly Permission[], kept: readonly Permission[]): void {
  const lost = present.filter((permission) => !kept.includes(permission))
  if (lost.length > 0) throw new Problem(problems.own_key, { extensions: { lost_permissions: lost } })
}

import type { Permission } from '@payments/contracts/permission'
import { commonProblems, Problem } from '@payments/contracts/problem'

/**
 * The monotone rule: nobody makes a role that grants more than they hold, nor changes or deletes one that stands above them.
 * Throws would_exceed_own_permissions, naming what the holder lacks.
 */
export function refuseExceeding(
  holder: { readonly permissions: ReadonlySet<Permission> },
  granted: readonly Permission[],
): void {
  const missing = [...new Set(granted)].filter((permission) => !holder.permissions.has(permission)).sort()
  if (missing.length === 0) return
  throw new Problem(commonProblems.would_exceed_own_permissions, { extensions: { missing_permissions: missing } })
}

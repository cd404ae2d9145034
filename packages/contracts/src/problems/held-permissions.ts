import type { Permission } from '../grammar/permission.ts'
import { commonProblems, Problem } from '../grammar/problem.ts'

/**
 * The no-privilege-escalation rule: a caller gives and takes only permissions that the caller holds. Throws
 * would_exceed_own_permissions with the permissions of `granted` that the holder lacks, each once, sorted.
 */
export function requireHeldPermissions(
  { permissions }: { readonly permissions: ReadonlySet<Permission> },
  granted: readonly Permission[],
): void {
  const missing = [...new Set(granted)].filter((permission) => !permissions.has(permission)).sort()
  if (missing.length === 0) return
  throw new Problem(commonProblems.would_exceed_own_permissions, { extensions: { missing_permissions: missing } })
}

import type { Endpoint } from './contract.ts'
import type { Permission } from './permission.ts'

/**
 * The permissions that the assertion of a request names, of those that the caller holds: the one that the endpoint
 * needs, and those that its handler reads.
 */
export function assertedPermissions(
  { permission, readsPermissions }: Pick<Endpoint, 'permission' | 'readsPermissions'>,
  held: readonly Permission[],
): readonly Permission[] {
  if (readsPermissions === 'all') return held
  const asserted = permission !== undefined && held.includes(permission) ? [permission] : []
  if (readsPermissions === undefined) return asserted
  return [...asserted, ...readsPermissions.filter((name) => held.includes(name))]
}

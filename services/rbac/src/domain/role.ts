import { isPermission, type Permission, permissionNames } from '@payments/contracts/permission'
import type { Role } from '@payments/contracts/rbac'

/** The roles every tenant has. Names are unique within a tenant, so these two cannot be taken by custom roles. */
export const builtInRoles = {
  admin: { description: 'Everything', grants: permissionNames },
  viewer: { description: 'Reads everything, changes nothing', grants: permissionNames.filter(isReading) },
} as const

export interface RoleFacts {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly kind: 'built_in' | 'custom'
  readonly permissions: readonly string[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** What a role grants, sorted. A stored name that is no longer in the catalogue grants nothing. */
export function permissionsOf(role: Pick<RoleFacts, 'kind' | 'name' | 'permissions'>): Permission[] {
  if (role.kind === 'custom') return role.permissions.filter(isPermission).sort()
  const builtIn = Object.entries(builtInRoles).find(([name]) => name === role.name)
  return builtIn === undefined ? [] : [...builtIn[1].grants].sort()
}

/** The union over several roles, sorted. */
export function permissionsOfAll(roles: readonly Pick<RoleFacts, 'kind' | 'name' | 'permissions'>[]): Permission[] {
  return [...new Set(roles.flatMap(permissionsOf))].sort()
}

export function presentRole(role: RoleFacts): Role {
  return {
    id: role.id,
    name: role.name,
    description: role.description,
    kind: role.kind,
    permissions: permissionsOf(role),
    created_at: role.createdAt.toISOString(),
    updated_at: role.updatedAt.toISOString(),
  }
}

/** `*:Read…`, which does not include `*:Reveal…`. */
function isReading(permission: Permission): boolean {
  return permission.split(':')[1]?.startsWith('Read') === true
}

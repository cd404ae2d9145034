import { isPermission, type Permission, permissionNames } from '@payments/contracts/permission'
import { Problem } from '@payments/contracts/problem'
import { problems, type Role, type RoleEvent } from '@payments/contracts/rbac'

/** Custom roles of one tenant. */
export const rolesMax = 100

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

/** The permissions asked for, each once, sorted. Throws unknown_permission, naming those that are not in the catalogue. */
export function permissionsNamed(names: readonly string[]): Permission[] {
  const errors = names.flatMap((name, i) =>
    isPermission(name) ? [] : [{ pointer: `/permissions/${i}`, detail: 'is not a permission of the platform' }],
  )
  if (errors.length > 0) throw new Problem(problems.unknown_permission, { errors: errors.slice(0, 50) })
  return [...new Set(names.filter(isPermission))].sort()
}

/** The fields of a PUT that were given. */
export function changesOf(body: {
  name?: string | undefined
  description?: string | undefined
  permissions?: string[] | undefined
}): RoleChanges {
  const { name, description, permissions } = body
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(permissions === undefined ? {} : { permissions: permissionsNamed(permissions) }),
  }
}

export interface RoleChanges {
  readonly name?: string
  readonly description?: string
  readonly permissions?: Permission[]
}

/** What the events of a role tell. */
export function presentRoleEvent(role: RoleFacts): RoleEvent {
  const { id, name, description, permissions, updated_at } = presentRole(role)
  return { id, name, description, permissions, updated_at }
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

import { createHash } from 'node:crypto'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { definedMembers } from '@payments/contracts/grammar/defined-members'
import { isPermission, type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems, type Role, type RoleEvent, type rbac } from '@payments/contracts/services/rbac/contract'

/** Maximum custom roles of one tenant. */
export const rolesMax = 100

/** The roles of every tenant. Names are unique within a tenant, so custom roles cannot take these names. */
export const builtInRoles = {
  admin: { description: 'Everything', grants: permissionNames },
  viewer: { description: 'Reads everything, changes nothing', grants: permissionNames.filter(isReading) },
} as const

/** Identifies the permissions and the built-in roles of this release. */
export const catalogue = createHash('sha256')
  .update(JSON.stringify([permissionNames.toSorted(), Object.entries(builtInRoles)]))
  .digest('base64url')
  .slice(0, 16)

export interface RoleFacts {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly kind: 'built_in' | 'custom'
  readonly permissions: readonly string[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

export const nameTaken = () =>
  new Problem(problems.role_name_taken, { errors: [{ pointer: '/name', detail: 'is the name of another role' }] })

/** The permissions that a role grants, sorted. A stored name outside of the catalogue grants nothing. */
export function grantedPermissions(role: Pick<RoleFacts, 'kind' | 'name' | 'permissions'>): Permission[] {
  if (role.kind === 'custom') return role.permissions.filter(isPermission).sort()
  const builtIn = Object.entries(builtInRoles).find(([name]) => name === role.name)
  return builtIn === undefined ? [] : [...builtIn[1].grants].sort()
}

/** The union over several roles, sorted. */
export function unionPermissions(roles: readonly Pick<RoleFacts, 'kind' | 'name' | 'permissions'>[]): Permission[] {
  return [...new Set(roles.flatMap(grantedPermissions))].sort()
}

/** The named permissions, each once, sorted. Throws unknown_permission with the names outside of the catalogue. */
export function parsePermissions(names: readonly string[]): Permission[] {
  const errors = names.flatMap((name, i) =>
    isPermission(name) ? [] : [{ pointer: `/permissions/${i}`, detail: 'is not a permission of the platform' }],
  )
  if (errors.length > 0) throw new Problem(problems.unknown_permission, { errors: errors.slice(0, 50) })
  return [...new Set(names.filter(isPermission))].sort()
}

export type RoleChanges = Readonly<ReturnType<typeof toRoleChanges>>

/** Throws unknown_permission. */
export const toRoleChanges = ({ permissions, ...named }: RequestOf<(typeof rbac)['endpoints']['updateRole']>['body']) =>
  definedMembers({ ...named, permissions: permissions && parsePermissions(permissions) })

/** The payload of events of a role. */
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
    permissions: grantedPermissions(role),
    created_at: role.createdAt.toISOString(),
    updated_at: role.updatedAt.toISOString(),
  }
}

/** `*:Read…`, which does not include `*:Reveal…`. */
function isReading(permission: Permission): boolean {
  return permission.split(':')[1]?.startsWith('Read') === true
}

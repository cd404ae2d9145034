import type { Permission } from '@payments/contracts/grammar/permission'
import { Problem } from '@payments/contracts/grammar/problem'
import { type ExplainedPermission, problems } from '@payments/contracts/services/api-key/contract'

/** A problem that points at each requested role that the tenant does not have. */
export function unknownRole(roleIds: readonly string[], unknown: readonly string[]): Problem {
  const errors = roleIds.flatMap((roleId, i) =>
    unknown.includes(roleId) ? [{ pointer: `/role_ids/${i}`, detail: 'is not a role of the tenant' }] : [],
  )
  return new Problem(problems.unknown_role, { errors })
}

export function unknownRoleName(): Problem {
  const errors = [{ pointer: '/role_name', detail: 'is not the name of a role of the tenant' }]
  return new Problem(problems.unknown_role, { errors })
}

export interface NamedRole {
  readonly id: string
  readonly name: string
}

export interface GrantingRole extends NamedRole {
  readonly permissions: readonly Permission[]
}

/** Each permission with the roles that grant it, by name. */
export function explainPermissions(
  permissions: readonly Permission[],
  roles: readonly GrantingRole[],
): ExplainedPermission[] {
  const byName = [...roles].sort((a, b) => (a.name < b.name ? -1 : 1))
  return permissions.map((permission) => ({
    permission,
    granted_by: byName
      .filter((role) => role.permissions.includes(permission))
      .map(({ id, name }) => ({ role_id: id, role_name: name })),
  }))
}

import { problems } from '@payments/contracts/api-key'
import { Problem } from '@payments/contracts/problem'

/** Names each of the roles asked for that the tenant does not have. */
export function unknownRole(roleIds: readonly string[], unknown: readonly string[]): Problem {
  const errors = roleIds.flatMap((roleId, i) =>
    unknown.includes(roleId) ? [{ pointer: `/role_ids/${i}`, detail: 'is not a role of the tenant' }] : [],
  )
  return new Problem(problems.unknown_role, { errors })
}

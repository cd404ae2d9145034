import { defineProblems } from '../grammar/problem.ts'

/** An administrator of a tenant is an enabled user whose roles grant these permissions together. */
export const administratorPermissions = ['user:UpdateUser', 'apikey:AssignRoles'] as const

/** For the services in which a tenant could lose its people: identity has their roles, rbac edits these. */
export const administratorProblems = defineProblems({
  last_administrator: {
    status: 409,
    title: 'The tenant would lose its last administrator',
    explanation:
      'At least one enabled user must hold user:UpdateUser and apikey:AssignRoles. The request would leave the tenant without one. Give another user such a role first. Nothing was changed.',
  },
  own_user: {
    status: 409,
    title: 'A user cannot change their own access',
    explanation:
      'A user cannot change their own roles, disable or remove themselves, or take permissions from a role of their own. Another administrator can.',
  },
})

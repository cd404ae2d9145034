import { z } from 'zod'
import { permission } from '../grammar/field.ts'
import { defineProblems } from '../grammar/problem.ts'

/** For the services in which an API key could take its own permissions: api-key has its roles, rbac edits them. */
export const ownKeyProblems = defineProblems({
  own_key: {
    status: 409,
    title: 'An API key cannot lock itself out',
    explanation:
      'An API key cannot delete, disable or expire itself, or narrow its own allowed addresses. It cannot take permissions from itself: neither by replacing its roles, nor by removing from one of its roles a permission that none of its other roles grants. Use another credential. The rule prevents a tenant from locking itself out by mistake. Users with a session have the rule `own_user` instead.',
    members: z.object({
      lost_permissions: z
        .array(permission)
        .optional()
        .describe('Permissions that the API key would lose. Present where a change of roles or of a role is rejected.'),
    }),
  },
})

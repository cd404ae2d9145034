import { defineProblems } from '../grammar/problem.ts'

/** For the services that assign roles. */
export const unknownRoleProblems = defineProblems({
  unknown_role: {
    status: 422,
    title: 'Unknown role',
    explanation: '`errors` names each role that the tenant does not have. Nothing was changed.',
  },
})

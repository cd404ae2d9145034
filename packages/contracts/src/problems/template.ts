import { defineProblems } from '../grammar/problem.ts'

/** Shared by the contracts whose requests name a template. */
export const templateProblem = defineProblems({
  template_unusable: {
    status: 422,
    title: 'The template cannot be used for this message',
    explanation:
      'The template does not exist, is deleted, belongs to another business unit, or is of another communication type. A template of invitations must declare `payment_url`.',
  },
})

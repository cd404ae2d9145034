import { defineProblems } from '../grammar/problem.ts'

/** Problem of every field that takes a URL to which the platform connects. */
export const destinationProblems = defineProblems({
  destination_not_allowed: {
    status: 422,
    title: 'The destination cannot be used',
    explanation:
      'A URL to which the platform connects must be an https URL on port 443 or 8443, without user information. Every address of its host name must be public. Special-use names (localhost, .local, .internal, .home.arpa, .invalid, .test, .example, .onion, names without a dot) are not public. `errors` names the rule that the URL breaks.',
  },
})

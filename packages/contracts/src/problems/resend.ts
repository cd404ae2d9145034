import { defineProblems } from '../grammar/problem.ts'

/** For the services that send invitations again: to payers, and to users. */
export const resendProblems = defineProblems({
  resend_too_soon: {
    status: 409,
    title: 'The invitation was sent less than a minute ago',
    explanation:
      'Two sendings of an invitation are at least 60 seconds apart. Send the request again after `Retry-After`.',
    retryAfter: true,
  },
  resend_limit_reached: {
    status: 409,
    title: 'The invitation was sent again ten times',
    explanation:
      'An invitation is sent again at most ten times. Cancel the invitation of a user and invite the person again. Cancel the code of a payer and create another one.',
  },
})

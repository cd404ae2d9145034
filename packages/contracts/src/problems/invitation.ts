import { defineProblems } from '../grammar/problem.ts'

/** Problems of invitations to pay, which payment-proxy and invite-to-pay share. */
export const invitationProblems = defineProblems({
  code_not_found: {
    status: 404,
    title: 'Code not found',
    explanation: 'The tenant has no code with this id, or the transaction has no code.',
  },
  code_not_active: {
    status: 409,
    title: 'The state of the code does not allow this action',
    explanation:
      'Only an active code can be changed; an active or expired one can be canceled and sent again. `detail` gives the status.',
  },
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
    explanation: 'An invitation is sent again at most ten times. Cancel the code and create another transaction.',
  },
  payment_orchestrator_without_page: {
    status: 422,
    title: 'The payment orchestrator has no card page',
    explanation:
      'The pay page frames the card page of the payment provider. Set `iframe_url` of the payment orchestrator, or use the sandbox.',
  },
})

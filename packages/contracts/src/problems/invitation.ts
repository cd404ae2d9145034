import { defineProblems } from '../grammar/problem.ts'
import { resendProblems } from './resend.ts'

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
      'Only an active code can be changed; an active or expired one can be canceled and sent again. `detail` gives the status. After the end of a code, create a new one for its transaction.',
  },
  ...resendProblems,
  payment_orchestrator_without_page: {
    status: 422,
    title: 'The payment orchestrator has no card page',
    explanation:
      'The pay page frames the card page of the payment provider. Set `iframe_url` of the payment orchestrator, or for Stripe `settings.publishable_key` where the platform has an origin of card pages. The sandbox needs neither.',
  },
})

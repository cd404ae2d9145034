import type { RequestOf } from '@payments/contracts/grammar/contract'
import type { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import type { CodeFacts } from './code.ts'
import type { CodeStatus } from './code-state.ts'
import { isValidNonce } from './nonce.ts'

/**
 * The status of a code on its page: its own, except for an active code that takes no payment. Test: its payment would
 * move no money. Unavailable: its tenant is suspended or cannot be read, or its payment orchestrator has no card page.
 */
export type VisitStatus = CodeStatus | 'test' | 'unavailable'

/**
 * The reply to a form. `outcome` redirects to the page, which shows the payment in progress or its end. `page` is the
 * page of the code as it is. `bank` redirects to the bank, where the payer confirms. The others reject the form, and
 * pay nothing.
 */
export type FormReply = 'outcome' | 'bank' | 'page' | FormRejection
export type FormRejection = 'unreadable' | 'stale' | 'processing' | 'overloaded' | 'limited'

/**
 * The end of an attempt to pay a code. Confirming: taken, and the payer has to confirm at their bank. Overloaded:
 * the tenant has its share of the payments in progress. Limited: the code has no payment left in this minute. Stale:
 * the code was changed or taken after its page was read.
 */
export type AttemptOutcome = 'taken' | 'confirming' | 'overloaded' | 'limited' | 'stale'

type PaymentDetails = RequestOf<typeof paymentProxy.endpoints.payInvitation>['body']['payment_details']

export interface SubmittedForm {
  readonly nonce: string
  readonly paymentDetails: PaymentDetails
}

interface Visited {
  readonly status: VisitStatus
  readonly code: Pick<CodeFacts, 'tenantId' | 'version' | 'amount' | 'currency'>
  readonly now: Date
}

/** The payment of a form, of the version that the payer saw. */
export interface RequestedPayment {
  readonly tenantId: string
  readonly version: number
  readonly paymentDetails: PaymentDetails
}

/** Decides a form before its payment. Null for a value that is no code; undefined for a form that cannot be read. */
export function decideForm(
  value: string,
  visited: Visited | null,
  form: SubmittedForm | undefined,
): RequestedPayment | FormReply {
  if (visited?.status !== 'active') return replyWhileInactive(visited)
  if (form === undefined) return 'unreadable'
  const { code, now } = visited
  if (!isValidNonce(form.nonce, value, code, now)) return 'stale'
  return { tenantId: code.tenantId, version: code.version, paymentDetails: form.paymentDetails }
}

/** Decides an attempt to pay the code. `visited` is the code as it is after an attempt that was limited or stale. */
export function decideAttempt(outcome: AttemptOutcome, visited: Pick<Visited, 'status'> | null): FormReply {
  if (outcome === 'taken') return 'outcome'
  if (outcome === 'confirming') return 'bank'
  return visited?.status === 'active' ? outcome : replyWhileInactive(visited)
}

function replyWhileInactive(visited: Pick<Visited, 'status'> | null): FormReply {
  if (visited?.status === 'completed') return 'outcome'
  return visited?.status === 'processing' ? 'processing' : 'page'
}

import type { Caller } from '@payments/chassis/caller'
import type { RequestOf } from '@payments/contracts/contract'
import { type paymentProxy, problems } from '@payments/contracts/payment-proxy'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { Provider, Question } from '../connectors/provider.ts'

export type PaymentDetails = RequestOf<typeof paymentProxy.endpoints.completeTransaction>['body']['payment_details']

/** What the provider is asked in order to authorize. Throws unknown_payment_token. */
export function authorizationWith(provider: Provider, details: PaymentDetails): Question['kind'] {
  const { cc_token: token, payment_method: paymentMethod } = details
  if (!provider.recognizes(token)) {
    const errors = [{ pointer: '/payment_details/cc_token', detail: 'is not known' }]
    throw new Problem(problems.unknown_payment_token, { errors })
  }
  return { do: 'authorize', token, paymentMethod }
}

/** Throws permission_denied: who authorizes and captures in one step needs both permissions. */
export function requireCapturePermission(caller: Caller): void {
  const permission = 'transaction:CaptureTransaction'
  if (caller.permissions.has(permission)) return
  throw new Problem(commonProblems.permission_denied, { detail: `The operation needs ${permission}` })
}

import type { Caller } from '@payments/chassis/caller'
import type { RequestOf } from '@payments/contracts/contract'
import { type paymentProxy, problems } from '@payments/contracts/payment-proxy'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { Provider, ProviderRequest } from '../connectors/provider.ts'

export type PaymentDetails = RequestOf<typeof paymentProxy.endpoints.completeTransaction>['body']['payment_details']

/** The provider request of an authorization. Throws unknown_payment_token. */
export function authorizationWith(provider: Provider, details: PaymentDetails): ProviderRequest['kind'] {
  const { cc_token: token, payment_method: paymentMethod } = details
  if (!provider.recognizes(token)) {
    const errors = [{ pointer: '/payment_details/cc_token', detail: 'is not a token of the payment orchestrator' }]
    throw new Problem(problems.unknown_payment_token, { errors })
  }
  return { do: 'authorize', token, paymentMethod }
}

/** An authorization with capture requires the permissions of both steps. Throws permission_denied. */
export function requireCapturePermission(caller: Caller): void {
  const permission = 'transaction:CaptureTransaction'
  if (caller.permissions.has(permission)) return
  throw new Problem(commonProblems.permission_denied, {
    detail: `An authorization with capture requires the permission ${permission}`,
  })
}

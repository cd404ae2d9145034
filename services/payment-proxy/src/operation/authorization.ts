import type { CallerWith } from '@payments/chassis/base/caller'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { requireActive, type UnitCopy } from '@payments/contracts/services/business-unit/unit-copy'
import { type paymentProxy, problems } from '@payments/contracts/services/payment-proxy/contract'
import type { PaymentDetails } from '../connectors/connector.ts'
import type { Deps } from '../deps.ts'
import { planAuthorize } from '../domain/action.ts'
import type { OperationPlan } from '../domain/operation.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { requireUsable } from './current-unit.ts'

type PaymentDetailsBody = RequestOf<typeof paymentProxy.endpoints.completeTransaction>['body']['payment_details']

/** `returnUrl`: the page to return to from the bank. Without it, a payment that needs a confirmation is declined. */
export function toPaymentDetails(
  { cc_token: token, payment_method: paymentMethod }: PaymentDetailsBody,
  returnUrl: string | undefined,
): PaymentDetails {
  return { token, paymentMethod, returnUrl: returnUrl ?? null }
}

/** The connector of the payment orchestrator decides, without a call to the provider. */
export function unknownToken(): Problem {
  const errors = [{ pointer: '/payment_details/cc_token', detail: 'is not a token of the payment orchestrator' }]
  return new Problem(problems.unknown_payment_token, { errors })
}

/**
 * The authorization of a transaction. Throws operation_in_progress, invalid_transaction_state, too_many_operations,
 * provider_unreachable (after many operations that were not sent), business_unit_deleted,
 * payment_orchestrator_unusable, test_mode_not_allowed, unknown_payment_token.
 */
export function planAuthorizationInUnit(
  deps: Pick<Deps, 'providerCalls' | 'acceptsTestMode' | 'now'>,
  aggregate: TransactionAggregate,
  { unit, paymentDetails, capture }: { unit: UnitCopy; paymentDetails: PaymentDetails; capture: boolean },
  now: Date,
): OperationPlan {
  const planned = planAuthorize(aggregate, capture, now)
  requireActive(unit)
  const orchestrator = requireUsable(deps, unit, aggregate.transaction, paymentDetails.paymentMethod)
  if (!deps.providerCalls.recognizes(orchestrator.payment_gateway, paymentDetails.token)) throw unknownToken()
  return planned
}

/** An authorization with capture requires the permissions of both steps. Throws permission_denied. */
export function requireCapturePermission(caller: CallerWith<'transaction:CaptureTransaction'>): void {
  const permission = 'transaction:CaptureTransaction'
  if (caller.permissions.has(permission)) return
  throw new Problem(commonProblems.permission_denied, {
    detail: `An authorization with capture requires the permission ${permission}`,
  })
}

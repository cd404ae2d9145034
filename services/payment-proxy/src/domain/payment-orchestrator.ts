import { hash } from 'node:crypto'
import { endOfCurrency } from '@payments/contracts/grammar/currency'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import type { UnitCopy } from '@payments/contracts/services/business-unit/unit-copy'
import { problems } from '@payments/contracts/services/payment-proxy/contract'

/** The payment that a payment orchestrator must accept. */
export interface Payment {
  /** Undefined: the default of the business unit. */
  readonly paymentOrchestratorId: string | undefined
  readonly currency: string
  /** Undefined while no payment method is known. */
  readonly paymentMethod: 'CREDIT_CARD' | 'ACH' | undefined
  readonly acceptsTestMode: boolean
  /** The instant of a new authorization. A currency may have ended. */
  readonly now: Date
}

/** The currency of a new transaction. Throws invalid_request. */
export function chooseCurrency({ businessUnit }: UnitCopy, requested: string | undefined, now: Date): string {
  const currency = requested ?? businessUnit.default_currency
  const ended = currency === null ? undefined : endOfCurrency(currency, now)
  if (currency !== null && ended === undefined) return currency
  const detail =
    currency === null
      ? 'is required: the business unit has no default currency'
      : `must be a currency in circulation: ${currency} ended on ${ended}`
  throw new Problem(commonProblems.invalid_request, { detail, errors: [{ pointer: '/currency', detail }] })
}

/** Names the account at the provider: another URL or other credentials give another name. */
export function nameAccount(
  orchestrator: Pick<PaymentOrchestrator, 'gateway_url' | 'gateway_authentication_fingerprint'>,
): string {
  const { gateway_url: url, gateway_authentication_fingerprint: fingerprint } = orchestrator
  return hash('sha256', JSON.stringify([url, fingerprint]), 'base64url')
}

/** The payment orchestrator of a new authorization. Throws payment_orchestrator_unusable, test_mode_not_allowed. */
export function usableOrchestrator(unit: UnitCopy, payment: Payment): PaymentOrchestrator {
  const orchestrator = findOrchestrator(unit, payment.paymentOrchestratorId)
  if (!payment.acceptsTestMode && orchestrator.mode === 'test') throw new Problem(problems.test_mode_not_allowed)
  if (orchestrator.status !== 'active') throw unusable(`is ${orchestrator.status}`)
  if (orchestrator.currencies?.includes(payment.currency) === false)
    throw unusable(`does not accept ${payment.currency}`)
  const ended = endOfCurrency(payment.currency, payment.now)
  if (ended !== undefined) throw unusable(`takes no new payment in ${payment.currency}, which ended on ${ended}`)
  const { paymentMethod } = payment
  if (paymentMethod !== undefined && orchestrator.payment_methods?.includes(paymentMethod) === false) {
    throw unusable(`does not accept ${paymentMethod}`)
  }
  return orchestrator
}

function findOrchestrator({ paymentOrchestrators }: UnitCopy, requestedId: string | undefined): PaymentOrchestrator {
  if (requestedId === undefined) {
    const found = paymentOrchestrators.find(({ is_default, status }) => is_default && status !== 'deleted')
    if (found === undefined) throw unusableBecause('The business unit has no default payment orchestrator')
    return found
  }
  const found = paymentOrchestrators.find(({ id }) => id === requestedId)
  if (found === undefined) throw unusable('is unknown in the business unit')
  return found
}

const unusable = (reason: string) => unusableBecause(`The payment orchestrator ${reason}`)

const unusableBecause = (detail: string) => new Problem(problems.payment_orchestrator_unusable, { detail })

import { containsCardNumber, redactCardNumbers } from '@payments/chassis/base/card-number'
import type { PaymentAuthentication } from '@payments/contracts/nouns/transaction'
import type { Outcome } from '../domain/outcome.ts'

/**
 * The outcome without card numbers, which nothing may store. The kind and the amount stay: an outcome is never lost for
 * its text. A reference with the form of a card number is none: later operations find the payment by our ids. An action
 * with one is not passed on (`actionViolation`).
 */
export function withoutCardNumbers(outcome: Outcome): Outcome {
  switch (outcome.kind) {
    case 'succeeded': {
      const { paymentMethod } = outcome
      const redacted = { ...outcome, providerReference: referenceIn(outcome), ...authenticationIn(outcome) }
      if (paymentMethod === undefined) return redacted
      return { ...redacted, paymentMethod: { ...paymentMethod, brand: redactCardNumbers(paymentMethod.brand) } }
    }
    case 'declined': {
      const { providerCode } = outcome
      const redacted = { ...outcome, providerReference: referenceIn(outcome), ...authenticationIn(outcome) }
      return providerCode === null ? redacted : { ...redacted, providerCode: redactCardNumbers(providerCode) }
    }
    case 'action_required':
    case 'pending':
      return { ...outcome, providerReference: referenceIn(outcome) }
    case 'not_attempted':
    case 'unknown':
      return { ...outcome, reason: redactCardNumbers(outcome.reason) }
  }
}

function referenceIn({ providerReference }: { readonly providerReference: string | null }): string | null {
  return withoutNumber(providerReference)
}

function authenticationIn({ authentication }: Authenticated): Authenticated {
  if (authentication === undefined) return {}
  const { version, result, eci, transaction_id } = authentication
  const texts = { version: withoutNumber(version), eci: withoutNumber(eci) }
  return { authentication: { ...texts, result, transaction_id: withoutNumber(transaction_id) } }
}

interface Authenticated {
  readonly authentication?: PaymentAuthentication
}

/** The text, or null when it has a card number. */
function withoutNumber(text: string | null): string | null {
  return text !== null && containsCardNumber(text) ? null : text
}

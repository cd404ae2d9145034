import { redactCardNumbers } from '@payments/chassis/base/card-number'
import type { Outcome } from '../domain/outcome.ts'

/**
 * The outcome without card numbers, which nothing may store. The kind and the amount stay: an outcome is never lost for
 * its text. A reference with the form of a card number is none: later operations find the payment by our ids.
 */
export function withoutCardNumbers(outcome: Outcome): Outcome {
  switch (outcome.kind) {
    case 'succeeded': {
      const { paymentMethod } = outcome
      const redacted = { ...outcome, providerReference: referenceIn(outcome) }
      if (paymentMethod === undefined) return redacted
      return { ...redacted, paymentMethod: { ...paymentMethod, brand: redactCardNumbers(paymentMethod.brand) } }
    }
    case 'declined': {
      const { providerCode } = outcome
      const redacted = { ...outcome, providerReference: referenceIn(outcome) }
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
  if (providerReference === null) return null
  return redactCardNumbers(providerReference) === providerReference ? providerReference : null
}

import { containsCardNumber, redactCardNumbers } from '@payments/chassis/base/card-number'
import type { PaymentAuthentication } from '@payments/contracts/nouns/transaction'
import type { KnownOutcome, Outcome } from '../domain/outcome.ts'
import type { ReportedEvent } from './connector.ts'

/** Maximum UTF-16 code units of the texts of a provider. */
const referenceMax = 255
const codeMax = 100
const brandMax = 50
const reasonMax = 500

/**
 * The outcome with texts that can be stored and shown: without control characters, halves of surrogate pairs and card
 * numbers, each of a bounded length. Kind and amount stay: an outcome is never lost for its text. A reference that
 * would have to change is left out: later operations find the payment by our ids. An action with a card number is not
 * passed on (`actionViolation`).
 */
export function cleanOutcome<O extends Outcome>(outcome: O): O
export function cleanOutcome(outcome: Outcome): Outcome {
  switch (outcome.kind) {
    case 'succeeded': {
      const { paymentMethod, authorizationExpiresAt, authentication: _, ...known } = outcome
      return {
        ...known,
        providerReference: cleanReference(outcome.providerReference),
        ...cleanAuthentication(outcome),
        ...(paymentMethod === undefined
          ? {}
          : { paymentMethod: { ...paymentMethod, brand: cleanText(paymentMethod.brand, brandMax) ?? 'unknown' } }),
        ...(isInstant(authorizationExpiresAt) ? { authorizationExpiresAt } : {}),
      }
    }
    case 'declined': {
      const { authentication: _, ...known } = outcome
      return {
        ...known,
        providerReference: cleanReference(outcome.providerReference),
        providerCode: cleanText(outcome.providerCode, codeMax),
        ...cleanAuthentication(outcome),
      }
    }
    case 'action_required':
    case 'pending':
      return { ...outcome, providerReference: cleanReference(outcome.providerReference) }
    case 'not_attempted':
    case 'unknown':
      return { ...outcome, reason: cleanText(outcome.reason, reasonMax) ?? 'the provider gave no reason' }
  }
}

/** The event of a provider, as `cleanOutcome`. */
export function cleanEvent(event: ReportedEvent): ReportedEvent {
  const { outcome, providerReference } = event
  return { ...event, providerReference: cleanReference(providerReference), outcome: cleanReported(outcome) }
}

function cleanReported(outcome: ReportedEvent['outcome']): ReportedEvent['outcome'] {
  if (outcome.kind !== 'changed') return cleanOutcome<KnownOutcome>(outcome)
  const { seen } = outcome
  const reference = cleanReference(outcome.providerReference)
  return { ...outcome, providerReference: reference, ...(seen === undefined ? {} : { seen: cleanOutcome(seen) }) }
}

const unprintable = /[\p{Cc}\p{Cs}]/gu

/** Null for an empty text. */
function cleanText(text: string | null | undefined, max: number): string | null {
  if (text == null || text === '') return null
  const readable = text.slice(0, 4 * max).replace(unprintable, '\ufffd')
  const cut = redactCardNumbers(readable).slice(0, max).replace(unprintable, '')
  // The end of a longer number can be cut to the length of a card number.
  return redactCardNumbers(cut).slice(0, max)
}

/** The text, or null where it cannot be stored as it is. */
function cleanReference(text: string | null | undefined): string | null {
  if (text == null || text === '' || text.length > referenceMax) return null
  return text.search(unprintable) >= 0 || containsCardNumber(text) ? null : text
}

function cleanAuthentication({ authentication }: Authenticated): Authenticated {
  if (authentication === undefined) return {}
  const { version, result, eci, transaction_id } = authentication
  const texts = { version: cleanReference(version), eci: cleanReference(eci) }
  return { authentication: { ...texts, result, transaction_id: cleanReference(transaction_id) } }
}

interface Authenticated {
  readonly authentication?: PaymentAuthentication
}

const lastInstantMs = Date.UTC(9999, 11, 31)

function isInstant(date: Date | undefined): date is Date {
  return date !== undefined && date.getTime() >= 0 && date.getTime() <= lastInstantMs
}

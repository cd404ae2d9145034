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
  if (outcome.kind === 'not_attempted' || outcome.kind === 'unknown') {
    return { ...outcome, reason: cleanText(outcome.reason, reasonMax) ?? 'the provider gave no reason' }
  }
  const providerReference = cleanReference(outcome.providerReference)
  if (outcome.kind === 'action_required' || outcome.kind === 'pending') return { ...outcome, providerReference }
  const { authentication, ...known } = outcome
  const cleaned = { ...known, providerReference, ...cleanAuthentication(authentication) }
  if (cleaned.kind === 'declined') return { ...cleaned, providerCode: cleanText(cleaned.providerCode, codeMax) }
  const { paymentMethod, authorizationExpiresAt, ...succeeded } = cleaned
  const brand = cleanText(paymentMethod?.brand, brandMax) ?? 'unknown'
  return {
    ...succeeded,
    ...(paymentMethod === undefined ? {} : { paymentMethod: { ...paymentMethod, brand } }),
    ...(isInstant(authorizationExpiresAt) ? { authorizationExpiresAt } : {}),
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

function cleanAuthentication(authentication: PaymentAuthentication | undefined) {
  if (authentication === undefined) return {}
  const { version, result, eci, transaction_id } = authentication
  const texts = { version: cleanReference(version), eci: cleanReference(eci) }
  return { authentication: { ...texts, result, transaction_id: cleanReference(transaction_id) } }
}

const lastInstantMs = Date.UTC(9999, 11, 31)

function isInstant(date: Date | undefined): date is Date {
  return date !== undefined && date.getTime() >= 0 && date.getTime() <= lastInstantMs
}

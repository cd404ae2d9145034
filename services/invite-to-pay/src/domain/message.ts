import type { Transaction } from '@payments/contracts/nouns/transaction'
import { formatBrand } from './card-brand.ts'
import type { CodeFacts } from './code.ts'
import type { CodeStatus } from './code-state.ts'
import { amountFormat, formatDay, formatInstant } from './formats.ts'

export type MessageKind = 'invitation' | 'reminder' | 'receipt'

/** Whether the message still has a purpose: invitations and reminders until the code ends, receipts after a payment. */
export function isWanted(kind: MessageKind, status: CodeStatus): boolean {
  return kind === 'receipt' ? status === 'completed' : status === 'active' || status === 'processing'
}

/** The message after a payment, by a built-in template. */
export interface PaymentConfirmation {
  readonly template: 'receipt' | 'authorization'
  /** Minor units: captured, or reserved. */
  readonly amount: number
}

type CapturedFacts = Pick<
  Transaction,
  'amount' | 'amount_captured' | 'amount_capturable' | 'authorization_expires_at' | 'pending_operation'
>

/**
 * The message after an authorized payment, by the state of its transaction: a receipt for the captured amount, else the
 * authorization. `open`: a capture or void has no outcome yet. `none`: nothing was captured, and the authorization was
 * voided or has expired.
 */
export function paymentConfirmation(transaction: CapturedFacts, now: Date): PaymentConfirmation | 'open' | 'none' {
  const { amount_captured: captured, amount_capturable: capturable, pending_operation: pending } = transaction
  const isChanging = pending?.type === 'capture' || pending?.type === 'void'
  if (isChanging && captured < transaction.amount) return 'open'
  if (captured > 0) return { template: 'receipt', amount: captured }
  const expiresAt = transaction.authorization_expires_at
  const hasExpired = expiresAt !== null && new Date(expiresAt) <= now
  return capturable === 0 || hasExpired ? 'none' : { template: 'authorization', amount: capturable }
}

type Described = Pick<CodeFacts, 'amount' | 'currency' | 'communicationDetails' | 'expiresAt' | 'reference'>
type Paid = Described & Pick<CodeFacts, 'items' | 'paymentBrand' | 'paymentLast4'>

/** How a message writes amounts and instants. */
export interface Reader {
  readonly locale: string
  /** IANA name. */
  readonly timeZone: string
}

/** Values of the variables of a template of invitations. Those of the request cannot replace ours. */
export function invitationVariables(code: Described, paymentUrl: string, reader: Reader): Record<string, string> {
  const { locale, timeZone } = reader
  return {
    ...code.communicationDetails.variables,
    ...sharedVariables(code, reader),
    payment_url: paymentUrl,
    expires_on: formatDay(code.expiresAt, locale, timeZone),
    expires_at: minuteAndZone(code.expiresAt, reader),
  }
}

/** The code of a receipt for a part of its amount: items belong to the whole. */
export const paidPart = <Code extends Paid>(code: Code, amount: number): Code =>
  amount === code.amount ? code : { ...code, amount, items: [] }

/** `brand` and `last4` are missing for a payment method without them, `brand` also for what is no brand. */
export function receiptVariables(code: Paid, paidAt: Date, reader: Reader): Record<string, string> {
  const brand = code.paymentBrand === null ? null : formatBrand(code.paymentBrand)
  return {
    ...sharedVariables(code, reader),
    paid_on: formatDay(paidAt, reader.locale, reader.timeZone),
    paid_at: minuteAndZone(paidAt, reader),
    ...(brand === null ? {} : { brand }),
    ...(code.paymentLast4 === null ? {} : { last4: code.paymentLast4 }),
  }
}

function minuteAndZone(instant: Date, { locale, timeZone }: Reader): string {
  const { time, zone } = formatInstant(instant, locale, timeZone)
  return `${time} (${zone})`
}

/** `amount`: the sum of the item, formatted. */
export function receiptItems({ items, currency }: Pick<CodeFacts, 'items' | 'currency'>, locale: string) {
  const format = amountFormat(locale, currency)
  return items.map(({ name, quantity, unit_amount }) => ({ name, quantity, amount: format(unit_amount * quantity) }))
}

function sharedVariables(code: Described, { locale }: Reader): Record<string, string> {
  const { amount, currency, communicationDetails, reference } = code
  const { payer_name: payerName, description } = communicationDetails
  return {
    amount: amountFormat(locale, currency)(amount),
    reference,
    ...(payerName === undefined ? {} : { payer_name: payerName }),
    ...(description === undefined ? {} : { description }),
  }
}

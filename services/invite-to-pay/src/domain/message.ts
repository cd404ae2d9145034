import { brandNameOf } from './card-brand.ts'
import type { CodeFacts } from './code.ts'
import type { CodeStatus } from './code-state.ts'
import { amountFormat, formatDay, formatInstant } from './formats.ts'

export type MessageKind = 'invitation' | 'reminder' | 'receipt'

/** Whether the message still has a purpose: invitations and reminders until the code ends, receipts after a payment. */
export function isWanted(kind: MessageKind, status: CodeStatus): boolean {
  return kind === 'receipt' ? status === 'completed' : status === 'active' || status === 'processing'
}

/** The template of a message: an id, or a built-in name. A payment without capture is not received yet. */
export function templateOf(kind: MessageKind, { templateId, capture }: Pick<CodeFacts, 'templateId' | 'capture'>) {
  if (kind === 'receipt') return capture ? kind : 'authorization'
  return kind === 'invitation' ? (templateId ?? kind) : kind
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

/** `brand` and `last4` are missing for a payment method without them, `brand` also for what is no brand. */
export function receiptVariables(code: Paid, paidAt: Date, reader: Reader): Record<string, string> {
  const brand = code.paymentBrand === null ? null : brandNameOf(code.paymentBrand)
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

interface ReceiptItem {
  readonly name: string
  readonly quantity: number
  /** The sum of the item, formatted. */
  readonly amount: string
}

export function receiptItems(
  { items, currency }: Pick<CodeFacts, 'items' | 'currency'>,
  locale: string,
): ReceiptItem[] {
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

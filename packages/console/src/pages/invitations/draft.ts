import type { BusinessUnit, Code, Transaction } from '@payments/client/schemas'
import type { api } from '../../session/api.ts'
import { formatDecimal, localeIn, messageFormats, messageInstant, messageMoney, parseMoney } from '../../text/money.ts'

/** An invitation as a person writes it. Every field is a text of a form. */
export interface Draft {
  readonly amount: string
  readonly currency: string
  readonly reference: string
  readonly capture: boolean
  readonly channel: 'EMAIL' | 'SMS'
  readonly recipient: string
  /** Language of the payer; empty: the language of the browser. */
  readonly locale: string
  readonly payerName: string
  readonly description: string
  /** Empty: the built-in one. */
  readonly templateId: string
  readonly variables: Readonly<Record<string, string>>
  readonly expiresInHours: string
  /** Hours before the end of the link; empty: no reminder. */
  readonly remindBeforeHours: string
  readonly returnUrl: string
}

/** The parts of a business unit that an invitation uses. */
export type InvitingUnit = Pick<BusinessUnit, 'id' | 'timezone_name' | 'default_currency' | 'default_locale'> &
  Partial<Pick<BusinessUnit, 'name'>>

/** The transaction to pay, where it exists already. */
export type Payment = Pick<Transaction, 'id' | 'amount' | 'currency' | 'capture' | 'external_reference' | 'locale'>

export const emptyDraft = (unit: InvitingUnit, mayCapture: boolean, payment?: Payment): Draft => ({
  amount: payment === undefined ? '' : formatDecimal(payment.amount, payment.currency),
  currency: payment?.currency ?? unit.default_currency ?? 'EUR',
  reference: payment?.external_reference ?? '',
  capture: mayCapture && (payment?.capture ?? true),
  channel: 'EMAIL',
  recipient: '',
  locale: '',
  payerName: '',
  description: '',
  templateId: '',
  variables: {},
  expiresInHours: '24',
  remindBeforeHours: '',
  returnUrl: '',
})

type Body = Parameters<typeof api.createCode>[0]['body']

const hourMs = 3_600_000

/** The body of a request at an instant. The amount has the form of its currency. */
export function buildBody(now: Date, draft: Draft, unit: InvitingUnit, payment: Payment | undefined): Body {
  const expiresAtMs = now.getTime() + Number(draft.expiresInHours) * hourMs
  const reminderAtMs = draft.remindBeforeHours === '' ? null : expiresAtMs - Number(draft.remindBeforeHours) * hourMs
  const transaction = {
    business_unit_id: unit.id,
    currency: draft.currency,
    amount: parseMoney(draft.amount, draft.currency) ?? 0,
    ...optionalField('external_reference', draft.reference),
  }
  return {
    ...(payment === undefined ? { transaction } : { transaction_id: payment.id }),
    capture: draft.capture,
    communication_type: draft.channel,
    recipient: draft.recipient.trim(),
    communication_details: buildDetails(draft),
    expires_at: new Date(expiresAtMs).toISOString(),
    ...(reminderAtMs === null ? {} : { reminder_at: new Date(reminderAtMs).toISOString() }),
    ...optionalField('template_id', draft.templateId),
    ...optionalField('return_url', draft.returnUrl),
    ...optionalField('locale', draft.locale),
  }
}

type Details = Pick<Draft, 'payerName' | 'description' | 'variables'>

export function buildDetails({ payerName, description, variables }: Details): Code['communication_details'] {
  const values = Object.entries(variables).filter(([, value]) => value !== '')
  return {
    ...optionalField('payer_name', payerName),
    ...optionalField('description', description),
    ...(values.length === 0 ? {} : { variables: Object.fromEntries(values) }),
  }
}

/** The field without spaces around its text; no field where nothing is left. */
function optionalField<Name extends string>(name: Name, text: string): Partial<Record<Name, string>> {
  return text.trim() === '' ? {} : ({ [name]: text.trim() } as Record<Name, string>)
}

/** The language of the payer: the chosen one, else that of the transaction. Null also while one is being typed. */
export const choosePayerLocale = ({ locale }: Draft, payment?: Payment): string | null =>
  localeIn(locale) ?? payment?.locale ?? null

/**
 * The values that the message will have, with a sample where the platform decides them. `locale`: whose formats the
 * message has.
 */
export function sampleValues(
  draft: Draft,
  unit: InvitingUnit,
  locale: string,
  now: Date,
): Readonly<Record<string, string>> {
  const amount = parseMoney(draft.amount, draft.currency)
  const expiresAt = new Date(now.getTime() + Number(draft.expiresInHours) * hourMs)
  // Half a code, while it is being typed.
  const isCode = /^[A-Za-z]{3}$/.test(draft.currency)
  const day = { dateStyle: 'long', timeZone: unit.timezone_name } as const
  return {
    ...draft.variables,
    amount: amount === undefined || !isCode ? '[amount]' : messageMoney(amount, draft.currency, locale),
    payment_url: 'https://pay.example.com/pay/example',
    expires_on: new Intl.DateTimeFormat(messageFormats(locale), day).format(expiresAt),
    expires_at: messageInstant(expiresAt, locale, unit.timezone_name),
    reference: draft.reference === '' ? '[reference]' : draft.reference,
    ...(draft.payerName === '' ? {} : { payer_name: draft.payerName }),
    ...(draft.description === '' ? {} : { description: draft.description }),
  }
}

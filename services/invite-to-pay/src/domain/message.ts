import { formatAmount } from '@payments/contracts/grammar/currency'
import type { CodeFacts } from './code.ts'
import type { CodeStatus } from './code-state.ts'

export type MessageKind = 'invitation' | 'reminder' | 'receipt'

/** Whether the message still has a purpose: invitations and reminders until the code ends, receipts after a payment. */
export function isWanted(kind: MessageKind, status: CodeStatus): boolean {
  return kind === 'receipt' ? status === 'completed' : status === 'active' || status === 'processing'
}

/** The template of a message: an id, or a built-in name. */
export const templateOf = (kind: MessageKind, templateId: string | null): string =>
  kind === 'invitation' ? (templateId ?? kind) : kind

type Described = Pick<CodeFacts, 'amount' | 'currency' | 'communicationDetails' | 'expiresAt' | 'reference'>

/** Values of the variables of a template of invitations. Those of the request cannot replace ours. */
export function invitationVariables(code: Described, paymentUrl: string, timezone: string): Record<string, string> {
  return {
    ...code.communicationDetails.variables,
    ...sharedVariables(code),
    payment_url: paymentUrl,
    expires_on: dayOf(code.expiresAt, timezone),
  }
}

export function receiptVariables(code: Described, paidAt: Date, timezone: string): Record<string, string> {
  return { ...sharedVariables(code), paid_on: dayOf(paidAt, timezone) }
}

function sharedVariables({ amount, currency, communicationDetails, reference }: Described): Record<string, string> {
  const { payer_name: payerName, description } = communicationDetails
  return {
    amount: formatAmount(amount, currency),
    reference,
    ...(payerName === undefined ? {} : { payer_name: payerName }),
    ...(description === undefined ? {} : { description }),
  }
}

/** Built-in templates are in English. */
function dayOf(instant: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone }).format(instant)
}

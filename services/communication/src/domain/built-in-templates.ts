import { createHash } from 'node:crypto'
import { builtInNames } from '@payments/contracts/nouns/communication-text'
import { type BuiltInName, builtInContent } from './built-in-content.ts'
import { readPlaceholders } from './placeholders.ts'
import type { CommunicationType, TemplateContent, TemplateFacts } from './template.ts'

/**
 * The built-in templates, for EMAIL and SMS: an invitation to pay, a reminder, a receipt, and the confirmation of an
 * authorization without capture. Their variables are below; the branding adds others. Lists of templates have
 * them in English, with each line; a message has its own language, and no line without a value.
 */
const required = (name: string, description: string) => ({ name, required: true, description })
const optional = (name: string, description: string) => ({ name, required: false, description })

const sharedVariables = [
  required('amount', 'Amount with its currency, such as EUR 12.34.'),
  optional('payer_name', 'Name of the payer.'),
  optional('description', 'Purpose of the payment.'),
]

const invitationVariables = [
  ...sharedVariables,
  required('payment_url', 'Address of the page on which the payer pays.'),
  optional('expires_at', 'Date, time and time zone at which the link ends, as the payer reads them.'),
  optional('expires_on', 'Last day of the invitation, as the payer reads it. Shown without `expires_at`.'),
]

const receiptVariables = [
  ...sharedVariables,
  optional('items', 'Lines of the order, one line of text for each.'),
  optional('paid_at', 'Date, time and time zone at which the payer submitted the payment, as the payer reads them.'),
  optional('paid_on', 'Day on which the payer submitted the payment, as the payer reads it. Shown without `paid_at`.'),
  optional('brand', 'Card brand. Shown with `last4`.'),
  optional('last4', 'Last four digits of the card or account.'),
  optional('reference', 'Reference of the payment.'),
]

const variables: Readonly<Record<BuiltInName, TemplateContent['variables']>> = {
  invitation: invitationVariables,
  reminder: invitationVariables,
  receipt: receiptVariables,
  authorization: receiptVariables,
}

const createdAt = new Date('2026-11-22T00:00:00.000Z')
const updatedAt = new Date('2026-12-01T00:00:00.000Z')

/** A UUID v8 before every UUID v7, so that built-in templates are last in lists of newest first. */
function builtInId(name: string, type: CommunicationType): string {
  const hex = createHash('sha256').update(`built-in template ${name} ${type}`).digest('hex')
  return `00000000-0000-8${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 18)}`
}

export interface BuiltInTemplate extends TemplateFacts {
  readonly name: BuiltInName
}

function buildTemplate(name: BuiltInName, communicationType: CommunicationType): BuiltInTemplate {
  const content = builtInContent(name, communicationType, { locale: 'en', has: () => true, rows: [] })
  const used = new Set(readPlaceholders(content.text).names)
  return {
    id: builtInId(name, communicationType),
    kind: 'built_in',
    businessUnitId: null,
    communicationType,
    version: 3,
    name,
    locale: null,
    translates: false,
    ...content,
    variables: variables[name].filter((variable) => communicationType === 'EMAIL' || used.has(variable.name)),
    createdAt,
    updatedAt,
  }
}

/** In the order of lists. */
export const builtInTemplates: readonly BuiltInTemplate[] = builtInNames
  .flatMap((name) => [buildTemplate(name, 'EMAIL'), buildTemplate(name, 'SMS')])
  .sort((a, b) => (a.id < b.id ? 1 : -1))

/** The id of a built-in template of the channel, or `template` itself, which is an id then. */
export function resolveTemplateId(template: string, type: CommunicationType): string {
  return builtInTemplates.find((one) => one.name === template && one.communicationType === type)?.id ?? template
}

export function builtInTemplate(id: string): BuiltInTemplate | undefined {
  return builtInTemplates.find((template) => template.id === id)
}

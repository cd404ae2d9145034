import { createHash } from 'node:crypto'
import type { builtInNames } from '@payments/contracts/nouns/communication-text'
import { brandingVariables } from './branding.ts'
import { placeholdersOf } from './placeholders.ts'
import type { Values } from './render.ts'
import type { CommunicationType, TemplateContent, TemplateFacts } from './template.ts'

/**
 * The built-in templates: an invitation to pay, a reminder and a receipt, for EMAIL and SMS. Their variables are those
 * below and those of the branding. A line whose variable has no value is left out, such as the logo of a unit without
 * one.
 */
interface Definition {
  readonly name: (typeof builtInNames)[number]
  readonly subject: string
  /** Lines of text; the link of a button is a line of its own. */
  readonly lines: readonly string[]
  readonly button: { readonly label: string; readonly variable: string } | null
  readonly sms: string
  readonly variables: TemplateContent['variables']
}

const required = (name: string, description: string) => ({ name, required: true, description })
const optional = (name: string, description: string) => ({ name, required: false, description })

const ofInvitations = [
  required('amount', 'Amount with its currency, such as EUR 12.34.'),
  required('payment_url', 'Address of the page on which the payer pays.'),
  optional('payer_name', 'Name of the payer.'),
  optional('description', 'Purpose of the payment.'),
  optional('expires_on', 'Last day of the invitation, as the payer reads it.'),
]

const definitions: readonly Definition[] = [
  {
    name: 'invitation',
    subject: '{{business_unit_name}} requests a payment of {{amount}}',
    lines: [
      'Hello {{payer_name}},',
      '{{business_unit_name}} requests a payment of {{amount}}.',
      'For: {{description}}',
      'Please pay by {{expires_on}}.',
    ],
    button: { label: 'Pay {{amount}}', variable: 'payment_url' },
    sms: '{{business_unit_name}} requests a payment of {{amount}}: {{payment_url}}',
    variables: ofInvitations,
  },
  {
    name: 'reminder',
    subject: 'Reminder: {{business_unit_name}} requests a payment of {{amount}}',
    lines: [
      'Hello {{payer_name}},',
      'this is a reminder: {{business_unit_name}} requests a payment of {{amount}}.',
      'For: {{description}}',
      'Please pay by {{expires_on}}.',
    ],
    button: { label: 'Pay {{amount}}', variable: 'payment_url' },
    sms: 'Reminder: {{business_unit_name}} requests a payment of {{amount}}: {{payment_url}}',
    variables: ofInvitations,
  },
  {
    name: 'receipt',
    subject: 'Receipt from {{business_unit_name}} for {{amount}}',
    lines: [
      'Hello {{payer_name}},',
      'thank you. {{business_unit_name}} received your payment of {{amount}}.',
      'For: {{description}}',
      'Date: {{paid_on}}',
      'Reference: {{reference}}',
    ],
    button: null,
    sms: '{{business_unit_name}} received your payment of {{amount}}. Thank you.',
    variables: [
      required('amount', 'Amount with its currency, such as EUR 12.34.'),
      optional('payer_name', 'Name of the payer.'),
      optional('description', 'Purpose of the payment.'),
      optional('paid_on', 'Day of the payment, as the payer reads it.'),
      optional('reference', 'Reference of the payment.'),
    ],
  },
]

const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5"

function htmlOf({ lines, button }: Definition): string {
  const style = 'display:inline-block;padding:12px 24px;border-radius:6px;color:#ffffff;text-decoration:none'
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>',
    `<body style="margin:0;padding:24px 12px;background:#f4f5f7;color:#1f2933;${font}">`,
    '<div style="max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border-top:4px solid {{primary_color}}">',
    '<img src="{{logo_url}}" alt="{{business_unit_name}}" style="max-width:200px;max-height:64px;height:auto">',
    ...lines.map((line) => `<p style="margin:16px 0">${line}</p>`),
    ...(button === null
      ? []
      : [`<p><a href="{{${button.variable}}}" style="${style};background:{{primary_color}}">${button.label}</a></p>`]),
    '<p style="margin:24px 0 0;font-size:14px">Questions? Write to <a href="mailto:{{support_email}}">{{support_email}}</a>.</p>',
    '</div>',
    '</body></html>',
  ].join('\n')
}

function textOf({ lines, button }: Definition): string {
  const link = button === null ? [] : [`${button.label}: {{${button.variable}}}`]
  return [...lines, ...link, 'Questions? Write to {{support_email}}.'].join('\n')
}

const createdAt = new Date('2026-11-22T00:00:00.000Z')

/** A UUID v8 before every UUID v7, so that built-in templates are last in lists of newest first. */
function builtInId(name: string, type: CommunicationType): string {
  const hex = createHash('sha256').update(`built-in template ${name} ${type}`).digest('hex')
  return `00000000-0000-8${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 18)}`
}

function templateOf(definition: Definition, communicationType: CommunicationType): TemplateFacts {
  const isEmail = communicationType === 'EMAIL'
  const parts = isEmail
    ? { subject: definition.subject, text: textOf(definition), html: htmlOf(definition) }
    : { subject: null, text: definition.sms, html: null }
  const used = new Set(Object.values(parts).flatMap((part) => placeholdersOf(part ?? '').names))
  return {
    id: builtInId(definition.name, communicationType),
    kind: 'built_in',
    businessUnitId: null,
    communicationType,
    version: 1,
    name: definition.name,
    ...parts,
    variables: definition.variables.filter(({ name }) => used.has(name)),
    createdAt,
    updatedAt: createdAt,
  }
}

/** In the order of lists. */
export const builtInTemplates: readonly TemplateFacts[] = definitions
  .flatMap((definition) => [templateOf(definition, 'EMAIL'), templateOf(definition, 'SMS')])
  .sort((a, b) => (a.id < b.id ? 1 : -1))

/** The id of a built-in template of the channel, or `template` itself, which is an id then. */
export function templateIdOf(template: string, type: CommunicationType): string {
  return builtInTemplates.find((one) => one.name === template && one.communicationType === type)?.id ?? template
}

export function builtInTemplate(id: string): TemplateFacts | undefined {
  return builtInTemplates.find((template) => template.id === id)
}

/** With the variables of the branding, and without the lines that lack a value. */
export function withBranding(template: TemplateFacts, values: Values): TemplateFacts {
  const hasValues = (line: string) => placeholdersOf(line).names.every((name) => (values[name] ?? '') !== '')
  const withValues = (part: string) => part.split('\n').filter(hasValues).join('\n')
  return {
    ...template,
    text: withValues(template.text),
    html: template.html === null ? null : withValues(template.html),
    variables: [...template.variables, ...brandingVariables.map((name) => optional(name, ''))],
  }
}

import { z } from 'zod'
import { id, instant, instantInput, prose, text, uuid } from '../grammar/field.ts'
import { urlText } from '../grammar/host.ts'
import { nameText } from '../grammar/name.ts'
import {
  communicationType,
  isRecipient,
  recipientErrors,
  recipientOfEither,
  recipientPattern,
  recipientText,
  variableName,
  variablesMax,
  variableValues,
} from './communication-text.ts'
import { locale } from './locale.ts'

/** How a payer is invited: shared by transactions and codes. */

const communicationDetails = z
  .strictObject({
    payer_name: nameText(100).optional().describe('Name of the payer, as messages and the pay page greet.'),
    description: text(200).optional().describe('Purpose of the payment, as messages and the pay page show it.'),
    variables: variableValues.optional().describe('Values of further variables of your template.'),
  })
  .meta({ id: 'CommunicationDetails', description: 'Content of messages beyond amount, link and branding.' })

/** A change of the details, by RFC 7396: a member that is given replaces its own value, and null removes it. */
export const communicationDetailsChange = z
  .strictObject({
    payer_name: communicationDetails.shape.payer_name.unwrap().nullable().describe('Name of the payer.'),
    description: communicationDetails.shape.description.unwrap().nullable().describe('Purpose of the payment.'),
    variables: z
      .record(variableName, prose(1_000).nullable())
      .refine((values) => Object.keys(values).length <= variablesMax, `must have at most ${variablesMax} variables`)
      .nullable()
      .describe('Values of further variables of your template, each by itself. Null removes all.')
      .meta({ maxProperties: variablesMax }),
  })
  .partial()
  .meta({ id: 'CommunicationDetailsChange', description: 'The given members change, and null removes one.' })

export type CommunicationDetailsChange = z.output<typeof communicationDetailsChange>

/** A page that a payer is led to. */
export const returnUrl = urlText.refine(isHttpsUrl, 'must be an https URL without user name and password').meta({
  pattern: '^[Hh][Tt][Tt][Pp][Ss]://[^\\s\\\\]+$',
})

/** With both slashes: a link of an https page to `https:shop.example` leads to a path of that page. */
function isHttpsUrl(value: string): boolean {
  if (!/^https:\/\//i.test(value) || /[\s\p{Cc}\\]/u.test(value) || !URL.canParse(value)) return false
  const { username, password } = new URL(value)
  return username === '' && password === ''
}

/** The choices of the caller about an invitation, each field by itself. */
export const invitationFields = {
  communication_type: communicationType,
  recipient: recipientText.meta({
    description:
      'Payer. EMAIL: one address. SMS: a phone number with its country code, such as +49 30 123456, stored in E.164.',
    pattern: recipientPattern,
    examples: ['payer@example.com', '+4930123456'],
  }),
  template_id: id.describe('Template of the invitation. It declares `payment_url`. Default: the built-in one.'),
  communication_details: communicationDetails,
  expires_at: instantInput.describe('When the link expires: 1 minute to 70 days from now. Default: in 24 hours.'),
  reminder_at: instantInput.describe('When an unpaid invitation is reminded of, before it expires. Default: never.'),
  return_url: returnUrl.meta({
    description: 'Page that the payer is led to after the payment.',
    examples: ['https://shop.example.com/thanks'],
  }),
  locale: locale.describe(
    'Language of the payer, for the pay page and messages. Default: that of the transaction, else that of the browser, else that of the business unit.',
  ),
}

/** The fields of `invitationInput`, for a body with other fields that `hasRecipientOfChannel` refines. */
export const invitationShape = {
  ...z.object(invitationFields).partial().shape,
  communication_type: invitationFields.communication_type,
  recipient: invitationFields.recipient,
}

/** A refinement: the recipient is one of the channel. */
export function hasRecipientOfChannel(value: { communication_type: 'EMAIL' | 'SMS'; recipient: string }): boolean {
  return isRecipient(value.communication_type, value.recipient)
}

/** Of a body that changes a recipient and not its channel. */
export const changedRecipient = invitationFields.recipient.refine(...recipientOfEither)

export const recipientError = {
  path: ['recipient'],
  error: ({ input }: { readonly input?: unknown }) =>
    recipientErrors[(input as Parameters<typeof hasRecipientOfChannel>[0]).communication_type],
}

export const invitationInput = z
  .strictObject(invitationShape)
  .refine(hasRecipientOfChannel, recipientError)
  .meta({ id: 'InvitationInput', description: 'An invitation to pay: recipient, channel and content.' })

export type InvitationInput = z.output<typeof invitationInput>

/** As stored with a transaction, and sent in its events. */
export const invitation = z
  .object({
    communication_type: communicationType,
    recipient: z.string().describe('Payer.'),
    template_id: uuid.nullable().describe('Template of the invitation. Null means the built-in one.'),
    communication_details: communicationDetails.describe('Content of messages.'),
    expires_at: instant.nullable().describe('When the link expires. Null means 24 hours after the creation.'),
    reminder_at: instant.nullable().describe('When an unpaid invitation is reminded of. Null means never.'),
    return_url: z.string().nullable().describe('Page that the payer is led to after the payment.'),
    locale: z.string().nullable().describe('Language of the payer, as sent. Null for none.'),
  })
  .meta({ id: 'Invitation', description: 'The invitation to pay of a transaction, as it was requested.' })

export type Invitation = z.output<typeof invitation>

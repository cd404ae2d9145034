import { z } from 'zod'
import { emailAddress } from '../../grammar/email-address.ts'
import { urlText } from '../../grammar/host.ts'
import { nameText } from '../../grammar/name.ts'

const brandingFields = {
  display_name: nameText(100).nullable().describe('Name that payers see. Default: the name of the unit.'),
  logo_url: urlText.nullable().describe('HTTPS URL of a logo.'),
  primary_color: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'must be a color such as #1a2b3c')
    .nullable()
    .describe('Color of buttons, as `#rrggbb`.'),
  support_email: emailAddress.nullable().describe('Address that payers can write to.'),
}

const communicationFields = {
  from_name: nameText(100).nullable().describe('Name of the sender of messages.'),
  reply_to: emailAddress.nullable().describe('Address for replies to messages.'),
}

/** The look of a business unit for payers. */
export const branding = z
  .strictObject({
    display_name: brandingFields.display_name.default(null),
    logo_url: brandingFields.logo_url.default(null),
    primary_color: brandingFields.primary_color.default(null),
    support_email: brandingFields.support_email.default(null),
  })
  .meta({ id: 'Branding', description: 'How pages and messages for payers look.' })

export const communication = z
  .strictObject({
    from_name: communicationFields.from_name.default(null),
    reply_to: communicationFields.reply_to.default(null),
  })
  .meta({ id: 'CommunicationSettings', description: 'Sender of the messages of the business unit.' })

/** The given members change, and null removes one (RFC 7396). */
export const brandingChange = z
  .strictObject(brandingFields)
  .partial()
  .meta({ id: 'BrandingChange', description: 'Members to change. Null removes one.' })

/** As `brandingChange`. */
export const communicationChange = z
  .strictObject(communicationFields)
  .partial()
  .meta({ id: 'CommunicationSettingsChange', description: 'Members to change. Null removes one.' })

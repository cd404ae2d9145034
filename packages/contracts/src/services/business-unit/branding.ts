import { z } from 'zod'
import { emailAddress } from '../../grammar/email-address.ts'
import { urlText } from '../../grammar/host.ts'
import { nameText } from '../../grammar/name.ts'

/** The look of a business unit for payers. */

export const branding = z
  .strictObject({
    display_name: nameText(100)
      .nullable()
      .default(null)
      .describe('Name that payers see. Default: the name of the unit.'),
    logo_url: urlText.nullable().default(null).describe('HTTPS URL of a logo.'),
    primary_color: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'must be a color such as #1a2b3c')
      .nullable()
      .default(null)
      .describe('Color of buttons, as `#rrggbb`.'),
    support_email: emailAddress.nullable().default(null).describe('Address that payers can write to.'),
  })
  .meta({ id: 'Branding', description: 'How pages and messages for payers look.' })

export const communication = z
  .strictObject({
    from_name: nameText(100).nullable().default(null).describe('Name of the sender of messages.'),
    reply_to: emailAddress.nullable().default(null).describe('Address for replies to messages.'),
  })
  .meta({ id: 'CommunicationSettings', description: 'Sender of the messages of the business unit.' })

import { z } from 'zod'
import { emailAddress } from '../grammar/email-address.ts'
import { prose } from '../grammar/field.ts'

/** Fields of templates and of messages. */

export const communicationType = z
  .enum(['EMAIL', 'SMS'])
  .meta({ id: 'CommunicationType', description: 'Channel of the message.' })

/** E.164. */
const phoneNumber = /^\+[1-9][0-9]{6,14}$/

/** Matches each recipient of either channel. */
export const recipientPattern = '^(\\+[1-9][0-9]{6,14}|[^\\s@]+@[^\\s@]+)$'

/** EMAIL: one address without a display name. SMS: a number in E.164. */
export function isRecipient(type: z.output<typeof communicationType>, recipient: string): boolean {
  return type === 'EMAIL' ? emailAddress.safeParse(recipient).success : phoneNumber.test(recipient)
}

/** Of a field by itself: a recipient of either channel. */
export const recipientOfEither: [(recipient: string) => boolean, string] = [
  (recipient) => isRecipient('EMAIL', recipient) || isRecipient('SMS', recipient),
  'must be one email address, or for SMS a number in E.164 such as +4930123456',
]

/** Built-in templates of each channel, by name. */
export const builtInNames = ['invitation', 'reminder', 'receipt'] as const

/** Name of a variable, written `{{name}}` in a template. */
export const variableName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,49}$/, 'must have lower-case letters, digits and _, and begin with a letter')

export const variablesMax = 50

export const variableValues = z
  .record(variableName, prose(1_000))
  .refine((values) => Object.keys(values).length <= variablesMax, `must have at most ${variablesMax} variables`)
  .meta({ maxProperties: variablesMax })

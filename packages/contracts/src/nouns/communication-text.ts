import { z } from 'zod'
import { emailAddress } from '../grammar/email-address.ts'
import { prose, text } from '../grammar/field.ts'

/** Fields of templates and of messages. */

export const communicationType = z
  .enum(['EMAIL', 'SMS'])
  .meta({ id: 'CommunicationType', description: 'Channel of the message.' })

/** E.164. */
const phoneNumber = /^\+[1-9][0-9]{6,14}$/

/** Matches each recipient of either channel, as a caller writes it. */
export const recipientPattern = '^([^@A-Za-z]{7,}|[^\\s@]+@[^\\s@]+)$'

const separators = /[\s.()\-\u2010-\u2013]/g
/** Before the number of a place, for calls within the country. Italy, San Marino and the Vatican always dial it. */
const trunkPrefix =
  /^\(?(\+(?!\s*(?:39|37[89]))[0-9\s]{1,4})\)?[\s.\-\u2010-\u2013]*\(0\)|^\(?(\+36)\)?[\s.\-\u2010-\u2013]*\(06\)/

/**
 * A phone number in E.164, from the spellings that can be read in one way: with spaces, dots, hyphens and parentheses,
 * with `00` in place of `+`, and with `(0)` after the country code, `(06)` in Hungary. Undefined without a country
 * code.
 */
export function parsePhoneNumber(text: string): string | undefined {
  const international = text.trim().replace(/^00/, '+').replace(trunkPrefix, '$1$2')
  const number = international.replaceAll(separators, '')
  return phoneNumber.test(number) ? number : undefined
}

/** A recipient as a caller writes it, and stored: a phone number in E.164. The channel decides whether it is valid. */
export const recipientText = text(320).overwrite((given) => parsePhoneNumber(given) ?? given)

/**
 * A recipient in a query. Many clients leave its `+` unencoded, which a query reads as a space: no address and no phone
 * number in E.164 has one.
 */
export const recipientQuery = recipientText.overwrite(
  (given) =>
    parsePhoneNumber(given.replace(/^ (?=\d)/, '+')) ?? (given.includes('@') ? given.replaceAll(' ', '+') : given),
)

/** The errors of a recipient that is none of the channel. */
export const recipientErrors = {
  EMAIL: 'must be one email address',
  SMS: 'must be a phone number with its country code, such as +49 30 123456',
} as const

/** EMAIL: one address without a display name. SMS: a number in E.164. */
export function isRecipient(type: z.output<typeof communicationType>, recipient: string): boolean {
  return type === 'EMAIL' ? emailAddress.safeParse(recipient).success : phoneNumber.test(recipient)
}

/** Of a field by itself: a recipient of either channel. */
export const recipientOfEither: [(recipient: string) => boolean, string] = [
  (recipient) => isRecipient('EMAIL', recipient) || isRecipient('SMS', recipient),
  `${recipientErrors.EMAIL}, or for SMS a phone number with its country code, such as +49 30 123456`,
]

/** Built-in templates of each channel, by name. */
export const builtInNames = ['invitation', 'reminder', 'receipt', 'authorization'] as const

/** Name of a variable, written `{{name}}` in a template. */
export const variableName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,49}$/, 'must have lower-case letters, digits and _, and begin with a letter')

export const variablesMax = 50

const valuesSchema = (max: number) =>
  z
    .record(variableName, prose(1_000))
    .refine((values) => Object.keys(values).length <= max, `must have at most ${max} variables`)
    .meta({ maxProperties: max })

export const variableValues = valuesSchema(variablesMax)

/** Those of a caller, and those that a service adds: amount, link and so on. */
export const variableValuesOfService = valuesSchema(variablesMax + 20)

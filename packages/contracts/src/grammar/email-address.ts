import { domainToASCII } from 'node:url'
import { z } from 'zod'

/**
 * One rule for addresses: what SMTP can carry is taken (RFC 5321, RFC 6531), in any script. A mailbox that does not
 * exist shows when a message is sent. Not taken: quoted mailboxes and domains without a dot, which no provider of
 * mailboxes issues, and text that could end a header line or begin a second address.
 */
const charactersMax = 320
const mailboxBytesMax = 64
const domainCharactersMax = 253

/** Neither white space nor invisible, nor a character with a meaning in the list of addresses of a message. */
const mailbox = /^[^\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}"(),:;<>@[\\\]]+$/u
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i
/** A last label of digits alone would be an address of a machine. */
const isNumber = /^[0-9]+$/

function isEmailAddress(written: string): boolean {
  const at = written.lastIndexOf('@')
  const [local, domain] = [written.slice(0, Math.max(at, 0)), written.slice(at + 1)]
  if (!mailbox.test(local) || Buffer.byteLength(local) > mailboxBytesMax) return false
  // A percent sign would be an escape to `domainToASCII`.
  return mailbox.test(domain) && !domain.includes('%') && isDomain(domainToASCII(domain))
}

const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
const ascii = /^[\0-\x7f]*$/

/** The form in which domains are compared: as DNS has it (IDNA). A domain without that form stays as written. */
export function emailDomainKey(domain: string): string {
  const lower = lowerAscii(domain)
  if (ascii.test(lower) || lower.length > charactersMax) return lower
  return domainToASCII(lower) || lower
}

/**
 * The form in which addresses are compared. Only ASCII letters of the mailbox are equal in both cases: mailboxes that
 * differ in another letter, such as the Kelvin sign and `k`, may belong to two persons. Databases do not compute it:
 * see `storedAddress` of chassis.
 */
export function emailAddressKey(address: string): string {
  const at = address.lastIndexOf('@')
  return `${lowerAscii(address.slice(0, at + 1))}${emailDomainKey(address.slice(at + 1))}`
}

/** `domain` is empty without an IDNA form. */
function isDomain(domain: string): boolean {
  const labels = domain.split('.')
  return (
    domain.length <= domainCharactersMax &&
    labels.length > 1 &&
    labels.every((one) => label.test(one)) &&
    !isNumber.test(labels.at(-1) ?? '')
  )
}

/** One email address without a display name, as written. */
export const emailAddress = z
  .string()
  .max(charactersMax, { abort: true })
  .refine(isEmailAddress, 'must be one email address, such as name@example.com')
  .meta({ pattern: '^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$', examples: ['name@example.com'] })

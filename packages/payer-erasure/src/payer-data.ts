import { addressOf, erased } from '@payments/contracts/nouns/payer-erasure'

/** Fields of transactions, codes and communications that describe the payer, and what replaces their value. */
const personal: Readonly<Record<string, unknown>> = {
  customer_details: null,
  recipient: erased,
  communication_details: {},
  return_url: null,
  provider_message_id: null,
}

/** The tenant's own: stored and sent as it is. */
const ofTenant: ReadonlySet<string> = new Set(['metadata', 'transaction_items'])

/** Fields with the address of a payer. */
const addresses: ReadonlySet<string> = new Set(['recipient', 'email', 'phone'])

/** Fields whose `detail` may quote an address, such as the response of a mail server. */
const errors: ReadonlySet<string> = new Set(['error', 'last_error'])

/** A copy of JSON without personal data of payers, by the names of its fields. */
export function withoutPayer(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPayer)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, fieldWithoutPayer(name, field)]))
}

function fieldWithoutPayer(name: string, field: unknown): unknown {
  if (field === null || ofTenant.has(name)) return field
  if (Object.hasOwn(personal, name)) return personal[name]
  if (errors.has(name) && typeof field === 'object' && Object.hasOwn(field, 'detail')) {
    return { ...field, detail: erased }
  }
  return withoutPayer(field)
}

/** Whether JSON names the payer with this address as customer or recipient. */
export function concerns(value: unknown, address: string): boolean {
  if (Array.isArray(value)) return value.some((item) => concerns(item, address))
  if (value === null || typeof value !== 'object') return false
  return Object.entries(value).some(([name, field]) => {
    if (ofTenant.has(name)) return false
    if (addresses.has(name)) return typeof field === 'string' && addressOf(field) === address
    return concerns(field, address)
  })
}

/**
 * The earliest time at which a resource in JSON was created. Null for JSON without a resource. A transaction is older
 * than its operations.
 */
export function createdAtOf(value: unknown): Date | null {
  const found = createdTimes(value).sort()
  return found[0] === undefined ? null : new Date(found[0])
}

function createdTimes(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(createdTimes)
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, field]) => {
    if (ofTenant.has(name)) return []
    return name === 'created_at' && typeof field === 'string' ? [field] : createdTimes(field)
  })
}

/** In the text of JSON in lower case: `(0)`, an escape, or a character that is no digit and ends no string. */
const separators = String.raw`(\(0\)|\\u[0-9a-f]{4}|\\.|[^0-9"\\])*`
/** The beginning of a number with its country. */
const countryPrefix = String.raw`(\+|0${separators}0)`

/**
 * A regular expression of PostgreSQL: text, with ASCII letters in lower case, that may name the address in any
 * spelling.
 * A domain that is not ASCII may be the one of the address.
 */
export function patternOf(address: string): string {
  const at = address.lastIndexOf('@')
  const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  if (at >= 0) {
    const [mailbox, domain] = [literal(address.slice(0, at)), literal(address.slice(at + 1))]
    return String.raw`${mailbox}(\+[^@"]*)?@(${domain}|[^"@]*[^"@\u0001-\u007f])`
  }
  return `${countryPrefix}${separators}${address.slice(1).split('').join(separators)}`
}

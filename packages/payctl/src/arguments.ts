import { definedMembers } from '@payments/contracts/grammar/defined-members'
import { emailAddress as address } from '@payments/contracts/grammar/email-address'
import { id, instantInput, text } from '@payments/contracts/grammar/field'
import { uniqueName } from '@payments/contracts/grammar/name'
import { limitMax, type Page } from '@payments/contracts/grammar/page'
import { payerRecipient } from '@payments/contracts/nouns/payer-erasure'
import { CommanderError, InvalidArgumentError } from 'commander'
import { z } from 'zod'

/**
 * Arguments of a command line, checked by the schemas of the contracts while they are parsed. A mistake is one line
 * and exit code 2, before payctl calls a service.
 */

/** A parser for commander that takes what `schema` takes and passes it on as it was written. */
function createParser<S extends z.ZodType>(schema: S, rule: string): (value: string) => string {
  return (value) => {
    if (!schema.safeParse(value).success) throw new InvalidArgumentError(rule)
    return value
  }
}

export const uuid = createParser(id, 'must be a UUID')

export const isUuid = (value: string): boolean => id.safeParse(value).success

export const emailAddress = createParser(address, 'must be an email address')

/** An email address, or a phone number with its country code. */
export const recipient = createParser(payerRecipient, 'must be an email address, or a phone number as +4930123456')

/** Ids of dead letters, or of messages, which may be any text. */
export const messageIds = (value: string, previous: readonly string[] = []): string[] => [
  ...previous,
  shortText(255)(value),
]

export const instant = createParser(instantInput, 'must be an instant from 1970 to 9999, as 2026-01-31T12:00:00Z')

/** A day in UTC whose first instant is not in the future. */
export const day = createParser(
  z.iso.date().refine((value) => Date.parse(value) <= Date.now()),
  'must be a day, as 2026-01-31, that is not in the future in UTC',
)

export const shortText = (max: number) =>
  createParser(text(max), `must be 1 to ${max} characters of well-formed Unicode without NUL`)

/** A name of a business unit. */
export const visibleName = createParser(uniqueName, 'must be 1 to 200 visible characters')

/** A whole number in decimal digits. */
export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value)
    if (!/^\d{1,15}$/.test(value) || number < min || number > max)
      throw new InvalidArgumentError(`must be a whole number from ${min} to ${max}`)
    return number
  }
}

/** A well-formed command that the platform rejects or that found something: exit code 1. */
export function commandFailure(message: string): CommanderError {
  return new CommanderError(1, 'payctl.refused', message)
}

/** A mistake in the command line that commander cannot detect: exit code 2. */
export function usageError(message: string): CommanderError {
  return new CommanderError(2, 'payctl.usage', message)
}

export const listMax = 1000
/** Pages in a row. A search may find nothing in many. */
const emptyPagesMax = 100_000

export type ReadPage<T> = (page: { limit: number; cursor?: string }) => Promise<Page<T>>

/** The first `limit` items of a list, page by page. Throws for a list that does not end. */
export async function upTo<T>(limit: number, read: ReadPage<T>): Promise<T[]> {
  const items: T[] = []
  let empty = 0
  for (let cursor: string | undefined; items.length < limit; ) {
    const page = await read({ limit: Math.min(limitMax, limit - items.length), ...definedMembers({ cursor }) })
    items.push(...page.data)
    if (page.next_cursor === null) break
    empty = page.data.length === 0 ? empty + 1 : 0
    if (page.next_cursor === cursor || empty === emptyPagesMax) throw commandFailure('The list does not end')
    cursor = page.next_cursor
  }
  return items
}

import { type Code, Fresh } from './literal.ts'

/** The members of bodies that no two requests of a tenant may have alike, by operation. */
const uniqueMembers: Readonly<Record<string, string>> = {
  createTransaction: 'external_reference',
  createAndAuthorizeTransaction: 'external_reference',
  createBusinessUnit: 'name',
  createRole: 'name',
  createUserInvitation: 'email',
}

export const uniqueMemberOf = (operation: string): string | undefined => uniqueMembers[operation]

/** The business unit of every recorded example. */
const recordedUnit = '0191e4a2-0000-7d11-8c55-91b6e0a7c002'

/**
 * The body of a recorded request with values of the reader: `unit` in place of its business unit, and a text that is
 * new for each request where one must be unique.
 */
export function withOwnValues(operation: string, body: unknown, unit: Code | string): unknown {
  if (body === recordedUnit) return unit
  if (Array.isArray(body)) return body.map((item) => withOwnValues('', item, unit))
  if (typeof body !== 'object' || body === null) return body
  const unique = uniqueMemberOf(operation)
  const entries = Object.entries(body).map(([name, value]) => [
    name,
    name === unique && typeof value === 'string' ? fresh(value) : withOwnValues('', value, unit),
  ])
  return Object.fromEntries(entries)
}

/** `order-4711` → `order-…`, `grace@example.com` → `grace+…@example.com`. */
function fresh(text: string): Fresh {
  const [name = '', host] = text.split('@')
  if (host !== undefined) return new Fresh(`${name}+`, `@${host}`)
  return new Fresh(`${name.replace(/-\d+$/, '')}-`, '')
}

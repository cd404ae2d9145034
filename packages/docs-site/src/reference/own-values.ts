import { type Code, Fresh } from './literal.ts'

/** The members of bodies that no two requests of a tenant may have alike, by operation. */
const uniqueMembers: Readonly<Record<string, string>> = {
  createTransaction: 'external_reference',
  createAndAuthorizeTransaction: 'external_reference',
  createBusinessUnit: 'name',
  createRole: 'name',
  createUserInvitation: 'email',
}

export const findUniqueMember = (operation: string): string | undefined => uniqueMembers[operation]

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The body of a recorded request with values of the reader: `own` of the name of an identifier in place of each
 * recorded one (`role_id` for the items of `role_ids`), and a text that is new for each request where one must be
 * unique.
 */
export function withOwnValues(operation: string, body: unknown, own: (id: string) => Code | string): unknown {
  const unique = findUniqueMember(operation)
  const visit = (value: unknown, name: string, isTop = false): unknown => {
    if (typeof value === 'string' && uuid.test(value)) return own(name.replace(/_ids$/, '_id'))
    if (Array.isArray(value)) return value.map((item) => visit(item, name))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(([key, item]) => [
      key,
      isTop && key === unique && typeof item === 'string' ? fresh(item) : visit(item, key),
    ])
    return Object.fromEntries(entries)
  }
  return visit(body, '', true)
}

/** `order-4711` → `order-…`, `grace@example.com` → `grace+…@example.com`. */
function fresh(text: string): Fresh {
  const [name = '', host] = text.split('@')
  if (host !== undefined) return new Fresh(`${name}+`, `@${host}`)
  return new Fresh(`${name.replace(/-\d+$/, '')}-`, '')
}

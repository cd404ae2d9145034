/** Notations of a JSON value in the languages of the examples. */
interface Notation {
  readonly indent: string
  readonly key: (name: string) => string
  readonly text: (value: string) => string
  /** A text with an expression of the language inside. */
  readonly fresh: (value: Fresh) => string
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>
}

const quoteWith = (quote: string) => (value: string) =>
  quote + JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll(quote, `\\${quote}`) + quote

export const typescriptNotation: Notation = {
  indent: '  ',
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoteWith("'")(name)),
  text: quoteWith("'"),
  fresh: ({ before, after }) => `\`${before}\${crypto.randomUUID()}${after}\``,
  words: { true: 'true', false: 'false', null: 'null' },
}

export const pythonNotation: Notation = {
  indent: '    ',
  key: (name) => JSON.stringify(name),
  text: (value) => JSON.stringify(value),
  fresh: ({ before, after }) => `f"${before}{uuid.uuid4()}${after}"`,
  words: { true: 'True', false: 'False', null: 'None' },
}

/** A value of code, in place of a literal. */
export class Code {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A text with a UUID inside that is new for each request. In JSON, `placeholder` has the place of the UUID. */
export class Fresh {
  static readonly placeholder = '{new}'
  readonly before: string
  readonly after: string

  constructor(before: string, after: string) {
    this.before = before
    this.after = after
  }

  toJSON(): string {
    return this.before + Fresh.placeholder + this.after
  }
}

/** A JSON value as a literal, whose lines after the first begin with `margin`. */
export function literal(value: unknown, notation: Notation, margin = ''): string {
  const { indent, key, text, words } = notation
  const inner = margin + indent
  if (value instanceof Code) return value.text
  if (value instanceof Fresh) return notation.fresh(value)
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null) return words[String(value) as 'null'] ?? String(value)
  const isList = Array.isArray(value)
  const items = isList
    ? value.map((item) => literal(item, notation, inner))
    : Object.entries(value).map(([name, item]) => `${key(name)}: ${literal(item, notation, inner)}`)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  return items.length === 0
    ? open + close
    : `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${margin}${close}`
}

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

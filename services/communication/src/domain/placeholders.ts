/** `{{name}}`, with blanks inside the braces or without. */
const placeholder = /\{\{([^{}]*)\}\}/g
const name = /^\s*([a-z][a-z0-9_]{0,49})\s*$/

/** The names that a template uses, in order. `invalid` is the first brace or name that is no placeholder. */
export function readPlaceholders(template: string): { names: string[]; invalid: string | null } {
  let invalid: string | null = null
  const names: string[] = []
  const rest = template.replaceAll(placeholder, (written, inner: string) => {
    const [, found] = name.exec(inner) ?? []
    if (found === undefined) invalid ??= written
    else names.push(found)
    return ''
  })
  // Three braces mean "not escaped" elsewhere; here they have no meaning.
  const stray = /\{{3}|\}{3}/.exec(template) ?? /\{\{|\}\}/.exec(rest)
  return { names, invalid: invalid ?? stray?.[0] ?? null }
}

/** The value of a name. Empty for a name without one: objects inherit `constructor`, which is no value. */
export const valueIn = (values: Readonly<Record<string, string>>, of: string): string =>
  Object.hasOwn(values, of) ? (values[of] ?? '') : ''

export function replacePlaceholders(template: string, lookUp: (name: string) => string): string {
  return template.replaceAll(placeholder, (_, inner: string) => lookUp(inner.trim()))
}

/** The variable with the link of a payer. Its holder can open the payment. */
export const linkVariable = 'payment_url'

const addressLengthMax = 200

/** Makes the placeholder after it a part of an address, or of the value of another variable. */
const partOfAddress = /[/?=&@}]/

/** Whether a text has the link of a payer within another address, such as `https://example.com/?to={{payment_url}}`. */
export function hasLinkInAddress(template: string): boolean {
  return [...template.matchAll(placeholder)].some(({ index, 1: inner = '' }) => {
    if (inner.trim() !== linkVariable) return false
    let start = index
    while (start > 0 && index - start < addressLengthMax && !/[\s"'<>]/.test(template.charAt(start - 1))) start -= 1
    return partOfAddress.test(template.slice(start, index))
  })
}

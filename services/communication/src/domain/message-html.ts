import sanitizeHtml from 'sanitize-html'
import { escapeHtml } from './escape-html.ts'
import { allowedAttributes, allowedElements, allowedSchemes, allowedStyles, styleValue } from './html-allowed.ts'
import { placeholdersOf, replacePlaceholders } from './placeholders.ts'

/**
 * **What it does.** Makes the HTML part of a message safe, and names to its author what is not allowed.
 *
 * **Participants.** The tenant, who writes the HTML; the payer's data, which become values of variables; sanitize-html,
 * which parses, compares with the lists of html-allowed.ts, and writes the HTML anew.
 *
 * **Guarantees.**
 * 1. Every HTML part that leaves is an output of the sanitizer, after the values are in it.
 * 2. A template that the sanitizer would change in more than its spelling and comments is rejected.
 * 3. A value adds no element, no attribute and no declaration of a style: it is text, or a part of a quoted attribute.
 *
 * **Not guaranteed.** The same bytes: attributes are quoted, references decoded, comments removed.
 */
interface Tag {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

interface Removal {
  /** The position of its tag in the document. */
  readonly position: number
  readonly element: string
  /** Null: the element itself is not allowed. */
  readonly attribute: string | null
  readonly reason: string
}

const doctype = '<!doctype html>'
/** Elements whose content is removed with them. */
const nonTextTags = ['script', 'style', 'textarea', 'option', 'xmp', 'noscript', 'iframe', 'noembed', 'noframes']

/** The HTML without what is not allowed. */
export function sanitized(html: string): string {
  const written = sanitizeHtml(html, {
    allowedTags: allowedElements,
    allowedAttributes,
    allowedStyles,
    allowedSchemes: [],
    allowedSchemesByTag: allowedSchemes as Record<string, string[]>,
    allowProtocolRelative: false,
    nonTextTags: [...nonTextTags, 'template', 'svg', 'math'],
    transformTags: { '*': (tagName, attribs) => ({ tagName, attribs: withUsableAddresses(tagName, attribs) }) },
  })
  const hasDoctype = html.trimStart().slice(0, doctype.length).toLowerCase() === doctype
  return hasDoctype ? `${doctype}\n${written.trimStart()}` : written
}

function withUsableAddresses(element: string, attributes: Record<string, string>): Record<string, string> {
  const entries = Object.entries(attributes)
  return Object.fromEntries(entries.filter(([name, value]) => !isAddress(name) || isUsableAddress(element, value)))
}

const isAddress = (attribute: string) => attribute === 'href' || attribute === 'src'

/** Read as browsers read it. A relative address has no meaning in a message, except within the message. */
function isUsableAddress(element: string, value: string): boolean {
  if (value === '' || value.startsWith('#')) return true
  if (!URL.canParse(value)) return false
  return (allowedSchemes[element] ?? []).includes(new URL(value).protocol.slice(0, -1))
}

function tagsOf(html: string): Tag[] {
  const tags: Tag[] = []
  const onOpenTag = (name: string, attributes: Record<string, string>) => tags.push({ name, attributes })
  sanitizeHtml(html, { allowedTags: [], allowedAttributes: {}, onOpenTag })
  return tags
}

const elements = new Set(allowedElements)

/** What the sanitizer removes, in the order of the document. Attributes count once all elements are allowed. */
function removalsOf(html: string): Removal[] {
  const tags = tagsOf(html)
  const removed = tags.flatMap(({ name: element }, position) =>
    elements.has(element) ? [] : [{ position, element, attribute: null, reason: `must not contain <${element}>` }],
  )
  if (removed.length > 0) return removed
  const kept = tagsOf(sanitized(html))
  return tags.flatMap((tag, position) =>
    removedAttributes(tag, kept[position]).map((removal) => ({ position, element: tag.name, ...removal })),
  )
}

function removedAttributes({ name: element, attributes }: Tag, kept: Tag | undefined) {
  return Object.entries(attributes).flatMap(([attribute, value]) => {
    const rest = kept?.name === element ? kept.attributes[attribute] : undefined
    if (value.trim() === '' || rest === value) return []
    const at = `"${attribute.slice(0, 60)}" of <${element}>`
    const schemes = allowedSchemes[element]
    if (isAddress(attribute) && schemes !== undefined)
      return rest === undefined ? [{ attribute, reason: `must begin with ${schemes.join(', ')} in ${at}` }] : []
    if (attribute !== 'style') return [{ attribute, reason: `must not have the attribute ${at} with this value` }]
    const keptProperties = propertiesOf(rest ?? '')
    const property = propertiesOf(value).find((name) => !keptProperties.includes(name))
    return property === undefined ? [] : [{ attribute, reason: `must not have "${property}" with this value in ${at}` }]
  })
}

const propertiesOf = (style: string) =>
  style.split(';').flatMap((declaration) => {
    const [name = ''] = declaration.split(':')
    return name.trim() === '' ? [] : [name.trim().slice(0, 60)]
  })

/** One of them fits each place where a variable makes sense: an address, a number, a word. */
const ordinaryValues = ['https://example.com/', '1', 'a']
const hostileValue = `b c=d ' " > < / -->`

/** The reason why a template, or HTML without variables, is rejected; or null. */
export function reasonAgainst(html: string): string | null {
  const rendered = (value: string) => replacePlaceholders(html, () => escapeHtml(value))
  if (shapeOf(rendered('a')) !== shapeOf(rendered(hostileValue)))
    return 'must not use a variable in a tag, except in a quoted attribute'
  const keyOf = ({ position, attribute }: Removal) => `${position} ${attribute}`
  const [removals = [], ...others] = ordinaryValues.map((value) => removalsOf(rendered(value)))
  const keys = others.map((other) => new Set(other.map(keyOf)))
  return removals.find((removal) => keys.every((other) => other.has(keyOf(removal))))?.reason ?? null
}

/** Elements and names of attributes, in order. */
function shapeOf(html: string): string {
  return tagsOf(html)
    .map(({ name, attributes }) => [name, ...Object.keys(attributes)].join(' '))
    .join('\n')
}

/** A variable whose value is not possible at its place. */
export interface ValueError {
  readonly variable: string
  readonly detail: string
}

/** The rendered HTML, and the variables whose values the sanitizer would remove. */
export function renderHtml(
  template: string,
  valueOf: (name: string) => string,
): { readonly html: string; readonly errors: readonly ValueError[] } {
  const rendered = replacePlaceholders(template, (name) => escapeHtml(valueOf(name)))
  const tags = tagsOf(template)
  const variablesAt = (position: number, attribute: string) =>
    placeholdersOf(tags[position]?.attributes[attribute] ?? '').names
  const removed = removalsOf(rendered).flatMap(({ position, element, attribute }) =>
    variablesAt(position, attribute ?? '').map((variable) => ({ variable, detail: detailOf(element, attribute) })),
  )
  const styled = tags.flatMap((_, position) => variablesAt(position, 'style'))
  const errors = [
    ...removed,
    ...styled
      .filter((variable) => valueOf(variable) !== '' && !styleValue.test(valueOf(variable)))
      .map((variable) => ({ variable, detail: detailOf('', 'style') })),
  ]
  return { html: sanitized(rendered), errors: unique(errors) }
}

function detailOf(element: string, attribute: string | null): string {
  const schemes = allowedSchemes[element]
  if (attribute !== null && isAddress(attribute) && schemes !== undefined)
    return `must be an address that begins with ${schemes.join(', ')}`
  return attribute === 'style' ? 'must be a value of a style' : 'must not have this value at its place'
}

const unique = (errors: readonly ValueError[]) => [
  ...new Map(errors.map((error) => [`${error.variable} ${error.detail}`, error])).values(),
]

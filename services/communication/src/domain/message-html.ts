import sanitizeHtml from 'sanitize-html'
import { escapeHtml } from './escape-html.ts'
import {
  allowedAttributes,
  allowedElements,
  allowedSchemes,
  allowedStyles,
  schemesOf,
  styleValue,
} from './html-allowed.ts'
import { placeholdersOf, replacePlaceholders } from './placeholders.ts'

/**
 * **What it does.** Makes the HTML part of a message safe, and names to its author what is not allowed.
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
  return (schemesOf(element) ?? []).includes(new URL(value).protocol.slice(0, -1))
}

function tagsOf(html: string): Tag[] {
  const tags: Tag[] = []
  const onOpenTag = (name: string, attributes: Record<string, string>) => tags.push({ name, attributes })
  sanitizeHtml(html, { allowedTags: [], allowedAttributes: {}, onOpenTag })
  return tags
}

const elements = new Set(allowedElements)

/** The sanitized HTML, and what it lacks, in order. Attributes count once all elements are allowed. */
function removalsOf(html: string, tags = tagsOf(html)): { removals: Removal[]; html: string } {
  const written = sanitized(html)
  const removed = tags.flatMap(({ name: element }, position) =>
    elements.has(element) ? [] : [{ position, element, attribute: null, reason: `must not contain <${element}>` }],
  )
  if (removed.length > 0) return { removals: removed, html: written }
  const remaining = tagsOf(written)
  const removals = tags.flatMap((tag, position) =>
    removedAttributes(tag, remaining[position]).map((removal) => ({ position, element: tag.name, ...removal })),
  )
  return { removals, html: written }
}

function removedAttributes({ name: element, attributes }: Tag, remaining: Tag | undefined) {
  return Object.entries(attributes).flatMap(([attribute, value]) => {
    const rest = remaining?.name === element ? remaining.attributes[attribute] : undefined
    if (value.trim() === '' || rest === value) return []
    const at = `"${attribute.slice(0, 60)}" of <${element}>`
    const schemes = schemesOf(element)
    if (isAddress(attribute) && schemes !== undefined)
      return rest === undefined ? [{ attribute, reason: `must begin with ${schemes.join(', ')} in ${at}` }] : []
    if (attribute !== 'style') return [{ attribute, reason: `must not have the attribute ${at} with this value` }]
    const remainingProperties = propertiesOf(rest ?? '')
    const property = propertiesOf(value).find((name) => !remainingProperties.includes(name))
    return property === undefined ? [] : [{ attribute, reason: `must not have "${property}" with this value in ${at}` }]
  })
}

const propertiesOf = (style: string) =>
  style.split(';').flatMap((declaration) => {
    const [name = ''] = declaration.split(':')
    return name.trim() === '' ? [] : [name.trim().slice(0, 60)]
  })

/** Besides a word. One of them fits each place where a variable makes sense: an address, a number. */
const otherValues = ['https://example.com/', '1']
const hostileValue = `b c=d ' " > < / -->`

/** Bounds of the work that one template costs: a page of text that long has a third of them. */
const [tagsMax, variablesMax] = [3_000, 1_000]

/** The reason why a template, or HTML without variables, is rejected; or null. */
export function reasonAgainst(html: string): string | null {
  const { names } = placeholdersOf(html)
  if (html.split('<', tagsMax + 2).length > tagsMax + 1) return `must have at most ${tagsMax} tags`
  if (names.length > variablesMax) return `must use variables at most ${variablesMax} times`
  const rendered = (value: string) => replacePlaceholders(html, () => escapeHtml(value))
  const plain = rendered('a')
  const tags = tagsOf(plain)
  if (names.length > 0 && shapeOf(tags) !== shapeOf(tagsOf(rendered(hostileValue))))
    return 'must not use a variable in a tag, except in a quoted attribute'
  const removals = removalsOf(plain, tags).removals
  if (removals.length === 0 || names.length === 0) return removals[0]?.reason ?? null
  const keyOf = ({ position, attribute }: Removal) => `${position} ${attribute}`
  const others = otherValues.map((value) => new Set(removalsOf(rendered(value)).removals.map(keyOf)))
  return removals.find((removal) => others.every((other) => other.has(keyOf(removal))))?.reason ?? null
}

/** Elements and names of attributes, in order. */
function shapeOf(tags: readonly Tag[]): string {
  return tags.map(({ name, attributes }) => [name, ...Object.keys(attributes)].join(' ')).join('\n')
}

/** A variable whose value is not possible at its place. */
export interface ValueError {
  readonly variable: string
  readonly detail: string
}

/** HTML with the values in it, before it is sanitized. */
export function withValues(template: string, valueOf: (name: string) => string): string {
  return replacePlaceholders(template, (name) => escapeHtml(valueOf(name)))
}

/** The sanitized HTML of `withValues`, and the variables whose values the sanitizer has removed. */
export function checkedHtml(
  template: string,
  rendered: string,
  valueOf: (name: string) => string,
): { readonly html: string; readonly errors: readonly ValueError[] } {
  const tags = tagsOf(template)
  const variablesAt = (position: number, attribute: string) =>
    placeholdersOf(tags[position]?.attributes[attribute] ?? '').names
  const { removals, html } = removalsOf(rendered)
  const removed = removals.flatMap(({ position, element, attribute }) =>
    variablesAt(position, attribute ?? '').map((variable) => ({ variable, detail: detailOf(element, attribute) })),
  )
  const styled = tags.flatMap((_, position) => variablesAt(position, 'style'))
  const errors = [
    ...removed,
    ...styled
      .filter((variable) => valueOf(variable) !== '' && !styleValue.test(valueOf(variable)))
      .map((variable) => ({ variable, detail: detailOf('', 'style') })),
  ]
  return { html, errors: unique(errors) }
}

function detailOf(element: string, attribute: string | null): string {
  const schemes = schemesOf(element)
  if (attribute !== null && isAddress(attribute) && schemes !== undefined)
    return `must be an address that begins with ${schemes.join(', ')}`
  return attribute === 'style' ? 'must be a value of a style' : 'must not have this value at its place'
}

const unique = (errors: readonly ValueError[]) => [
  ...new Map(errors.map((error) => [`${error.variable} ${error.detail}`, error])).values(),
]

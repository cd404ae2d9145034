import sanitizeHtml from 'sanitize-html'
import { escapeHtml } from './escape-html.ts'
import {
  allowedAttributes,
  allowedDeclarations,
  allowedElements,
  allowedPragmas,
  allowedSchemes,
  findSchemes,
  listProperties,
  styleValue,
} from './html-allowed.ts'
import { countAttributes } from './html-attributes.ts'
import { linkVariable, readPlaceholders, replacePlaceholders } from './placeholders.ts'

/**
 * **What it does.** Makes the HTML part of a message safe, and names to its author what is not allowed.
 *
 * **Guarantees.**
 * 1. Every HTML part that leaves is an output of the sanitizer, after the values are in it.
 * 2. A template that the sanitizer would change in more than its spelling and comments is rejected.
 * 3. A value adds no element, no attribute and no declaration of a style: it is text, or a part of a quoted attribute.
 * 4. The work is linear and bounded before the first parse: five parses of a template, two of a message.
 * 5. The link of a payer is no part of another address.
 *
 * **Not guaranteed.** The same bytes.
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
const options = {
  allowedTags: allowedElements,
  allowedAttributes,
  // `allowedDeclarations` reads them in a fraction of the time.
  parseStyleAttributes: false,
  allowedSchemes: [],
  allowedSchemesByTag: allowedSchemes as Record<string, string[]>,
  allowProtocolRelative: false,
  nonTextTags: [...nonTextTags, 'template', 'svg', 'math'],
}

/** One run of the sanitizer: its output, the tags as they were, and the attributes that remain of each. */
interface Run {
  readonly html: string
  readonly tags: readonly Tag[]
  readonly remaining: ReadonlyMap<number, Readonly<Record<string, string>>>
}

function runSanitizer(html: string): Run {
  const tags: Tag[] = []
  const remaining = new Map<number, Record<string, string>>()
  const written = sanitizeHtml(html, {
    ...options,
    onOpenTag: (name, attributes) => tags.push({ name, attributes }),
    transformTags: {
      // The sanitizer deletes what it does not allow from this object.
      '*': (tagName, attributes) => {
        const attribs = usableAttributes(tagName, attributes)
        remaining.set(tags.length - 1, attribs)
        return { tagName, attribs }
      },
    },
  })
  const hasDoctype = html.trimStart().slice(0, doctype.length).toLowerCase() === doctype
  return { html: hasDoctype ? `${doctype}\n${written.trimStart()}` : written, tags, remaining }
}

/** The HTML without what is not allowed. */
export const sanitize = (html: string): string => runSanitizer(html).html

function usableAttributes(element: string, attributes: Readonly<Record<string, string>>): Record<string, string> {
  const usable: Record<string, string> = {}
  for (const [name, value] of Object.entries(attributes)) {
    const rest = usableValue(element, name, value)
    if (rest !== null) usable[name] = rest
  }
  return usable
}

/** The value of an attribute that the lists of the sanitizer do not decide alone, without what is not allowed. */
function usableValue(element: string, attribute: string, value: string): string | null {
  if (isAddress(attribute)) return isUsableAddress(element, value) ? value : null
  if (attribute === 'style') return allowedDeclarations(value) || null
  if (attribute === 'http-equiv') return allowedPragmas.includes(value) ? value : null
  return value
}

const isAddress = (attribute: string) => attribute === 'href' || attribute === 'src'

/** Read as browsers read it. A relative address has no meaning in a message, except within the message. */
function isUsableAddress(element: string, value: string): boolean {
  if (value === '' || value.startsWith('#')) return true
  if (!URL.canParse(value)) return false
  return (findSchemes(element) ?? []).includes(new URL(value).protocol.slice(0, -1))
}

function readTags(html: string): Tag[] {
  const tags: Tag[] = []
  const onOpenTag = (name: string, attributes: Record<string, string>) => tags.push({ name, attributes })
  sanitizeHtml(html, { allowedTags: [], allowedAttributes: {}, onOpenTag })
  return tags
}

const elements = new Set(allowedElements)

/** The parts that a run has removed, in order. Attributes count once all elements are allowed. */
function* listRemovals({ tags, remaining }: Run): Generator<Removal> {
  let hasRemoved = false
  for (const [position, { name: element }] of tags.entries()) {
    if (elements.has(element)) continue
    hasRemoved = true
    yield { position, element, attribute: null, reason: `must not contain <${element}>` }
  }
  if (hasRemoved) return
  for (const [position, { name: element, attributes }] of tags.entries()) {
    for (const [attribute, value] of Object.entries(attributes)) {
      const reason = reasonOfRemoval(element, attribute, value, remaining.get(position)?.[attribute])
      if (reason !== null) yield { position, element, attribute, reason }
    }
  }
}

/** Null for an attribute of which nothing was removed. `rest`: the remaining part of its value. */
function reasonOfRemoval(element: string, attribute: string, value: string, rest: string | undefined): string | null {
  if (value.trim() === '' || rest === value) return null
  const at = `"${attribute.slice(0, 60)}" of <${element}>`
  const schemes = findSchemes(element)
  if (isAddress(attribute) && schemes !== undefined) return `must begin with ${schemes.join(', ')} in ${at}`
  if (attribute !== 'style') return `must not have the attribute ${at} with this value`
  const remaining = new Set(listProperties(rest ?? ''))
  const property = listProperties(value).find((name) => !remaining.has(name))
  return property === undefined ? null : `must not have "${property}" with this value in ${at}`
}

/** Besides a word. One of them fits each place where a variable makes sense: an address, a number. */
const otherValues = ['https://example.com/', '1']
const hostileValue = `b c=d ' " > < / -->`

/** Bounds of the work that one template costs: a long mail has a half of them. */
const [tagsMax, attributesMax, attributesOfTagMax, variablesMax] = [2_000, 4_000, 50, 1_000]

/** The reason why a template, or HTML without variables, is rejected; or null. */
export function reasonAgainst(html: string): string | null {
  const { names } = readPlaceholders(html)
  if (html.split('<', tagsMax + 2).length > tagsMax + 1) return `must have at most ${tagsMax} tags`
  const { count, mostOfTag } = countAttributes(html)
  if (count > attributesMax) return `must have at most ${attributesMax} attributes`
  if (mostOfTag > attributesOfTagMax) return `must have at most ${attributesOfTagMax} attributes in a tag`
  if (names.length > variablesMax) return `must use variables at most ${variablesMax} times`
  const rendered = (value: string) => replacePlaceholders(html, () => escapeHtml(value))
  const run = runSanitizer(rendered('a'))
  if (names.length > 0 && describeShape(run.tags) !== describeShape(readTags(rendered(hostileValue))))
    return 'must not use a variable in a tag, except in a quoted attribute'
  const tags = names.length === 0 ? [] : readTags(html)
  for (const removal of listRemovals(run)) {
    if (names.length === 0 || otherValues.every((value) => isRemovedWith(value, removal, tags))) return removal.reason
  }
  return names.includes(linkVariable) ? reasonAgainstAddress(tags) : null
}

/** Null where each address with the link of a payer is that link alone. */
function reasonAgainstAddress(tags: readonly Tag[]): string | null {
  for (const { name: element, attributes } of tags) {
    for (const [attribute, value] of Object.entries(attributes)) {
      if (!isAddress(attribute) || !readPlaceholders(value).names.includes(linkVariable)) continue
      if (replacePlaceholders(value, () => '').trim() === '' && element === 'a') continue
      return `must use ${linkVariable} as the whole "href" of <a>, and in no other address`
    }
  }
  return null
}

/** Whether the sanitizer removes the same when the variables of the template have this value. */
function isRemovedWith(variable: string, { position, element, attribute }: Removal, tags: readonly Tag[]): boolean {
  const written = tags[position]?.attributes[attribute ?? ''] ?? ''
  const names = attribute === null ? [] : readPlaceholders(written).names
  if (attribute === null || names.length === 0) return true
  const value = replacePlaceholders(written, () => variable)
  const rest = usableValue(element, attribute, value) ?? undefined
  return reasonOfRemoval(element, attribute, value, rest) !== null
}

/** Elements and names of attributes, in order. */
function describeShape(tags: readonly Tag[]): string {
  return tags.map(({ name, attributes }) => [name, ...Object.keys(attributes)].join(' ')).join('\n')
}

/** A variable whose value is not possible at its place. */
export interface ValueError {
  readonly variable: string
  readonly detail: string
}

/** HTML with the values in it, before it is sanitized. */
export function withValues(template: string, lookUp: (name: string) => string): string {
  return replacePlaceholders(template, (name) => escapeHtml(lookUp(name)))
}

/** The sanitized HTML of `withValues`, and the variables whose values the sanitizer has removed. */
export function checkedHtml(
  template: string,
  rendered: string,
  lookUp: (name: string) => string,
): { readonly html: string; readonly errors: readonly ValueError[] } {
  const run = runSanitizer(rendered)
  const removals = [...listRemovals(run)]
  const hasVariables = readPlaceholders(template).names.length > 0
  if (!hasVariables || (removals.length === 0 && !/style/i.test(template))) return { html: run.html, errors: [] }
  const tags = readTags(template)
  const variablesAt = (position: number, attribute: string) =>
    readPlaceholders(tags[position]?.attributes[attribute] ?? '').names
  const removed = removals.flatMap(({ position, element, attribute }) =>
    variablesAt(position, attribute ?? '').map((variable) => ({
      variable,
      detail: describeRemoval(element, attribute),
    })),
  )
  const styled = tags.flatMap((_, position) => variablesAt(position, 'style'))
  const errors = [
    ...removed,
    ...styled
      .filter((variable) => lookUp(variable) !== '' && !styleValue.test(lookUp(variable)))
      .map((variable) => ({ variable, detail: describeRemoval('', 'style') })),
  ]
  return { html: run.html, errors: unique(errors) }
}

function describeRemoval(element: string, attribute: string | null): string {
  const schemes = findSchemes(element)
  if (attribute !== null && isAddress(attribute) && schemes !== undefined)
    return `must be an address that begins with ${schemes.join(', ')}`
  return attribute === 'style' ? 'must be a value of a style' : 'must not have this value at its place'
}

const unique = (errors: readonly ValueError[]) => [
  ...new Map(errors.map((error) => [`${error.variable} ${error.detail}`, error])).values(),
]

import { credentialMask } from '@payments/contracts/services/webhooks/auth-info'
import { createTextSearch } from './text-search.ts'

/**
 * **What it does.** Replaces the credentials that an attempt sent in what its receiver responds, before a response is
 * stored. Texts are bytes as ISO 8859-1, as Node decodes headers.
 *
 * **Guarantees.** A credential is found as sent, in UTF-8 and in ISO 8859-1, with any mix of escapes of URLs, forms,
 * JSON and HTML, escaped twice at most. The start of a credential at the end of a body that was cut is masked too. A
 * text never grows. Time is linear in the text and the credentials. Too many of them mask the whole text.
 *
 * **Not guaranteed.** A credential of less than `secretLengthMin` characters is not masked. Neither is one that the
 * receiver encrypts, compresses, reverses or splits.
 */
export interface CredentialMasking {
  text(text: string): string
  /** `cut`: more bytes followed. */
  bytes(bytes: Uint8Array, cut: boolean): Uint8Array
}

/** At least the bytes of the mask. */
const secretLengthMin = 4
const escapeLevels = 2
const maskInLatin1 = Buffer.from(credentialMask, 'utf8').toString('latin1')

/** The longest credentials that an attempt can send are 16 KiB. */
const formsLengthMax = 64 * 1024
const secretsMax = 200

export function createCredentialMasking(secrets: readonly string[]): CredentialMasking {
  const forms = searchedForms(secrets)
  const search = forms === undefined ? undefined : createTextSearch(forms)
  const maskText = (text: string, mask: string, cut: boolean) => {
    if (forms?.length === 0 || text.length < secretLengthMin) return text
    if (search === undefined) return mask
    // The change of the number of occurrences that cover a character, from the one before it.
    const changes = new Int32Array(text.length + 1)
    for (const { text: searched, starts } of listViews(text, cut)) {
      const mark = (from: number, to: number) => {
        changes[starts[from] as number] = (changes[starts[from] as number] as number) + 1
        changes[to] = (changes[to] as number) - 1
      }
      const startLength = search.search(searched, (end, length) => mark(end - length, findEnd(starts, end - 1)))
      if (cut && startLength >= secretLengthMin) mark(searched.length - startLength, text.length)
    }
    return replaceCovered(text, changes, mask)
  }
  return {
    text: (text) => maskText(text, credentialMask, false),
    bytes: (bytes, cut) => {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
      const result = maskText(text, maskInLatin1, cut)
      return result === text ? bytes : Buffer.from(result, 'latin1')
    },
  }
}

/** Undefined where there are too many secrets, or their forms are too long together. */
function searchedForms(secrets: readonly string[]): readonly string[] | undefined {
  const searched = new Set(secrets.filter((secret) => Buffer.byteLength(secret) >= secretLengthMin))
  if (searched.size > secretsMax) return undefined
  const forms = new Set<string>()
  let length = 0
  for (const secret of searched) {
    for (const form of listForms(secret)) {
      if (form.length < secretLengthMin || forms.has(form)) continue
      forms.add(form)
      length += form.length
    }
    if (length > formsLengthMax) return undefined
  }
  return [...forms]
}

/** A secret that contains escapes is also searched in the form that unescaping gives it. */
function listForms(secret: string): string[] {
  const inUtf8 = Buffer.from(secret, 'utf8').toString('latin1')
  const encoded = /^[\0-\xff]*$/.test(secret) ? [inUtf8, secret] : [inUtf8]
  return encoded.flatMap((form) => listViews(form, false).map(({ text }) => text))
}

/** A text after unescaping. Character `i` represents the original from `starts[i]` to before `starts[i + 1]`. */
interface View {
  readonly text: string
  readonly starts: Uint32Array
}

function listViews(text: string, cut: boolean): View[] {
  const starts = new Uint32Array(text.length + 1)
  for (let index = 0; index < starts.length; index += 1) starts[index] = index
  const views: View[] = [{ text, starts }]
  for (let level = 1; level <= escapeLevels; level += 1) {
    const view = unescape(views.at(-1) as View, cut)
    if (view === undefined) break
    views.push(view)
  }
  return views
}

const escapes = new RegExp(
  [
    '%(?<percent>[0-9a-f]{2})',
    String.raw`\\u(?<high>d[89ab][0-9a-f]{2})\\u(?<low>d[c-f][0-9a-f]{2})`,
    String.raw`\\u(?<unit>[0-9a-f]{4})`,
    String.raw`\\(?<literal>["'\\/])`,
    '&#x(?<hex>[0-9a-f]{1,5});',
    '&#(?<decimal>[0-9]{1,6});',
    '&(?<entity>amp|lt|gt|quot|apos);',
    String.raw`(?<plus>\+)`,
  ].join('|'),
  'gi',
)
const partOfEscape = /(?:%[0-9a-f]?|\\(?:u[0-9a-f]{0,3})?|&[#a-z0-9]{0,7})$/i
const partOfEscapeMax = 8
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Undefined for a text without escapes. */
function unescape({ text, starts }: View, cut: boolean): View | undefined {
  const end = cut ? text.length - (partOfEscape.exec(text.slice(-partOfEscapeMax))?.[0].length ?? 0) : text.length
  const whole = text.slice(0, end)
  const parts: string[] = []
  const positions: number[] = []
  let from = 0
  const copyTo = (to: number) => {
    parts.push(whole.slice(from, to))
    for (let index = from; index < to; index += 1) positions.push(starts[index] as number)
  }
  for (const match of whole.matchAll(escapes)) {
    copyTo(match.index)
    const character = unescapeCharacter(match.groups as Record<string, string | undefined>)
    parts.push(character)
    for (let index = 0; index < character.length; index += 1) positions.push(starts[match.index] as number)
    from = match.index + match[0].length
  }
  if (from === 0 && end === text.length) return undefined
  copyTo(whole.length)
  positions.push(starts[end] as number)
  return { text: parts.join(''), starts: Uint32Array.from(positions) }
}

/** The bytes of the character, as ISO 8859-1. */
function unescapeCharacter({
  percent,
  high,
  low,
  unit,
  literal,
  hex,
  decimal,
  entity,
  plus,
}: Record<string, string | undefined>) {
  if (percent !== undefined) return String.fromCharCode(Number.parseInt(percent, 16))
  if (literal !== undefined) return literal
  if (plus !== undefined) return ' '
  if (entity !== undefined) return entities[entity.toLowerCase()] ?? ''
  const character =
    high === undefined
      ? String.fromCodePoint(decimal === undefined ? Number.parseInt(unit ?? hex ?? '0', 16) : Number(decimal))
      : String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low ?? '0', 16))
  return Buffer.from(character, 'utf8').toString('latin1')
}

/** A character of two bytes that one escape gives starts and ends with its escape. */
function findEnd(starts: Uint32Array, index: number): number {
  let next = index + 1
  while (next < starts.length - 1 && starts[next] === starts[index]) next += 1
  return starts[next] as number
}

/** The text with the mask in place of each run of characters that an occurrence covers. */
function replaceCovered(text: string, changes: Int32Array, mask: string): string {
  const parts: string[] = []
  let [from, covering] = [0, 0]
  for (let index = 0; index <= text.length; index += 1) {
    const before = covering
    covering += changes[index] as number
    if (before === 0 && covering > 0) parts.push(text.slice(from, index), mask)
    if (before > 0 && covering === 0) from = index
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(from)
}

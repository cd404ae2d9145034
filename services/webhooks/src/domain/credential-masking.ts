import { credentialMask } from '@payments/contracts/services/webhooks/auth-info'

/**
 * **What it does.** Replaces the credentials that an attempt sent in what its receiver responds, before a response is
 * stored. Texts are bytes as ISO 8859-1, as Node decodes headers.
 *
 * **Guarantees.** A credential is found as sent, in UTF-8 and in ISO 8859-1, with any mix of escapes of URLs, forms,
 * JSON and HTML, escaped twice at most. The start of a credential at the end of a body that was cut is masked too. A
 * text never grows. Time is linear in the text for each credential.
 *
 * **Not guaranteed.** A credential of less than `secretLengthMin` characters is not masked: it would mask ordinary
 * text. Neither is one that the receiver encrypts, compresses, reverses or splits.
 */
export interface CredentialMasking {
  text(text: string): string
  /** `cut`: more bytes followed. */
  bytes(bytes: Uint8Array, cut: boolean): Uint8Array
}

/** At least the bytes of the mask. */
export const secretLengthMin = 4
const escapeLevels = 2
const maskInLatin1 = Buffer.from(credentialMask, 'utf8').toString('latin1')

export function createCredentialMasking(secrets: readonly string[]): CredentialMasking {
  const patterns = [...new Set(secrets.flatMap(formsOf))]
    .filter((form) => form.length >= secretLengthMin)
    .map((form) => ({ form, borders: bordersOf(form) }))
  const masked = (text: string, mask: string, cut: boolean) => {
    if (patterns.length === 0 || text.length < secretLengthMin) return text
    const covered = new Uint8Array(text.length)
    for (const view of viewsOf(text, cut)) {
      for (const pattern of patterns) cover(covered, view, pattern, cut)
    }
    return replaceCovered(text, covered, mask)
  }
  return {
    text: (text) => masked(text, credentialMask, false),
    bytes: (bytes, cut) => {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
      const result = masked(text, maskInLatin1, cut)
      return result === text ? bytes : Buffer.from(result, 'latin1')
    },
  }
}

/** A secret that contains escapes is also searched in the form that unescaping gives it. */
function formsOf(secret: string): string[] {
  const inUtf8 = Buffer.from(secret, 'utf8').toString('latin1')
  const encoded = /^[\0-\xff]*$/.test(secret) ? [inUtf8, secret] : [inUtf8]
  return encoded.flatMap((form) => viewsOf(form, false).map(({ text }) => text))
}

/** A text after unescaping. Character `i` represents the original from `starts[i]` to before `starts[i + 1]`. */
interface View {
  readonly text: string
  readonly starts: Uint32Array
}

function viewsOf(text: string, cut: boolean): View[] {
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
    const character = unescaped(match.groups as Record<string, string | undefined>)
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
function unescaped({
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

interface Pattern {
  readonly form: string
  readonly borders: Uint32Array
}

/** The failure function of Knuth, Morris and Pratt. */
function bordersOf(form: string): Uint32Array {
  const borders = new Uint32Array(form.length)
  for (let index = 1, length = 0; index < form.length; index += 1) {
    while (length > 0 && form[index] !== form[length]) length = borders[length - 1] as number
    if (form[index] === form[length]) length += 1
    borders[index] = length
  }
  return borders
}

/** Marks each occurrence in the original text and, when the text was cut, the start of one at its end. */
function cover(covered: Uint8Array, { text, starts }: View, { form, borders }: Pattern, cut: boolean): void {
  let length = 0
  let coveredTo = 0
  const mark = (from: number, to: number) => {
    covered.fill(1, starts[Math.max(from, coveredTo)] as number, to)
  }
  for (let index = 0; index < text.length; index += 1) {
    while (length > 0 && text[index] !== form[length]) length = borders[length - 1] as number
    if (text[index] === form[length]) length += 1
    if (length < form.length) continue
    mark(index + 1 - length, endOf(starts, index))
    coveredTo = index + 1
    length = borders[length - 1] as number
  }
  if (cut && length >= secretLengthMin) mark(text.length - length, covered.length)
}

/** A character of two bytes that one escape gives starts and ends with its escape. */
function endOf(starts: Uint32Array, index: number): number {
  let next = index + 1
  while (next < starts.length - 1 && starts[next] === starts[index]) next += 1
  return starts[next] as number
}

function replaceCovered(text: string, covered: Uint8Array, mask: string): string {
  const parts: string[] = []
  let from = 0
  for (let start = covered.indexOf(1); start !== -1; start = covered.indexOf(1, from)) {
    parts.push(text.slice(from, start), mask)
    const end = covered.indexOf(0, start)
    from = end === -1 ? text.length : end
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(from)
}

import { z } from 'zod'

const lengthMax = 200
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
/**
 * Invisible characters that are part of what one sees: a joiner between two emoji, a joiner or non-joiner between
 * letters of a script whose letters join (Persian, Hindi), the presentation of an emoji, and the flag of a region.
 */
const joined =
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\u{fe0f}])\u{200d}(?=\p{Extended_Pictographic})|(?<=(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\p{L}\p{M}])[\u{200c}\u{200d}](?=\p{L})|(?<=[\p{Extended_Pictographic}0-9#*])[\u{fe0e}\u{fe0f}]|(?<=\u{1f3f4}[\u{e0061}-\u{e007a}]{0,7})[\u{e0061}-\u{e007f}]/gu

/** Rejects invisible characters, except for `allowed` ones, and names the first one. */
const visible = (allowed?: RegExp) => {
  const found = (text: string) => {
    const first = invisible.exec(text)?.[0]
    return first === undefined || allowed === undefined ? first : invisible.exec(text.replaceAll(allowed, ''))?.[0]
  }
  const codePointIn = (text: string) => found(text)?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
  const error = ({ input }: { readonly input?: unknown }) =>
    `must have no control, format or invisible characters: U+${codePointIn(String(input))}`
  return [(text: string) => found(text) === undefined, { error }] as const
}

/** In the documentation: every language knows it, and it rejects nothing that the refinement accepts. */
const notBlank = { pattern: '\\S' }

/** Code units before normalization for one after it: a letter with two marks, and white space at the ends. */
const decomposedMax = 4

/**
 * Compared after normalization: NFC, without white space at the ends. Normalization of a long text takes quadratic
 * time, so the length is checked before.
 */
const normalizedText = (max: number) =>
  z
    .string()
    .max(decomposedMax * max, { abort: true, error: `must have at most ${max} characters` })
    .normalize('NFC')
    .trim()
    .min(1)
    .max(max, { abort: true })

/** One line that people read, and that is not unique: a name, a label. 1 to `max` characters after normalization. */
export const nameText = (max: number) =>
  normalizedText(max)
    .refine(...visible(joined))
    .meta(notBlank)

/** An identifier that a caller chose: two spellings that look alike are one reference. */
export const referenceText = (max: number) =>
  normalizedText(max)
    .refine(...visible())
    .meta(notBlank)

/**
 * A name that is unique among the resources of a tenant. The visible text is the whole name: no invisible characters,
 * no reordering.
 */
export const uniqueName = normalizedText(lengthMax)
  .refine(...visible())
  .refine((name) => name.normalize('NFKC').length <= lengthMax, 'must have at most 200 characters in NFKC')
  .meta(notBlank)

/**
 * The name key, which is stored and unique. Names that differ only in compatibility forms (NFKC), case or white space
 * have the same name key. Not covered: similar letters of different scripts.
 *
 * Lower case, upper case and lower case again approximate the case folding of Unicode: `ẞ`, `ß` and `ss` are equal, and
 * both forms of sigma.
 */
export function nameKey(name: string): string {
  const folded = name.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC')
  return folded.replaceAll(/\s+/g, ' ').trim()
}

/** Of NFKC, which makes up to 18 characters of one. */
const searchedMax = 400

/**
 * Returns whether a name or an address has the part, compared as name keys are, with one form of sigma. Only the start
 * of a text whose NFKC is longer than `searchedMax` is searched.
 */
export function partMatcher(part: string): (text: string) => boolean {
  const searchKey = (text: string) => nameKey(text.normalize('NFKC').slice(0, searchedMax)).replaceAll('ς', 'σ')
  const searched = searchKey(part)
  return (text) => searchKey(text).includes(searched)
}

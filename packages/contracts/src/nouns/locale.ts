import { z } from 'zod'

/** The languages of our pages and messages for payers. A template of a tenant may have any other. */
export const languages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'cs', 'da', 'sv', 'ja'] as const

export type Language = (typeof languages)[number]

/** RFC 5646 §4.4.1: tags without extensions have at most 35 characters. */
const lengthMax = 64

/**
 * A language tag of BCP 47 (RFC 5646) in its canonical spelling: `de-at` is `de-AT`, `iw` is `he`. A `_` between
 * subtags, as many programs write it, is read as `-`.
 */
export const locale = z
  .string()
  .max(lengthMax)
  .meta({ pattern: '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$', examples: ['de', 'pt-BR', 'zh-Hant-TW'] })
  .overwrite((written) => canonicalTag(written.replaceAll('_', '-')) ?? written)
  .refine(isTag, 'must be a language tag of BCP 47, such as de, de-AT or zh-Hant')

function isTag(tag: string): boolean {
  return tag.length <= lengthMax && canonicalTag(tag) === tag
}

/** Undefined for a text that is no well-formed tag. */
function canonicalTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const primarySubtag = (tag: string): string => tag.split('-', 1)[0] ?? ''

/** The language of a canonical tag. English stands in for a language that our texts do not have. */
export const nearestLanguage = (tag: string): Language => languages.find((one) => one === primarySubtag(tag)) ?? 'en'

/** The first of canonical tags whose language our texts have; else English. */
export function firstWithTexts(...wanted: readonly (string | null | undefined)[]): string {
  return wanted.find((tag) => tag != null && hasTexts(tag)) ?? 'en'
}

export const hasTexts = (tag: string): boolean => languages.some((one) => one === primarySubtag(tag))

/**
 * How a tag of BCP 47 writes numbers and dates: its language, script and region. An extension would choose other digits
 * or another calendar. Portuguese without a region is Portuguese of Portugal, as its texts are.
 */
export function toFormatLocale(tag: string): string {
  const { language, script, region } = new Intl.Locale(tag)
  const format = [language, script, region].filter((subtag) => subtag !== undefined).join('-')
  return format === 'pt' ? 'pt-PT' : format
}

/**
 * The candidate for readers of `wanted`: the same tag, else the tag without its last subtags (RFC 4647 §3.4, so
 * `zh-Hant-TW` finds `zh-Hant` before `zh`), else its language with other subtags. The first of equals. Null: no
 * candidate has this language.
 */
export function nearestLocale<T extends { readonly locale: string | null }>(
  wanted: string,
  candidates: readonly T[],
): T | null {
  const subtags = wanted.split('-')
  const ranges = subtags.map((_, dropped) => subtags.slice(0, subtags.length - dropped).join('-'))
  const exact = ranges.map((range) => candidates.find((one) => one.locale === range))
  const ofLanguage = candidates.find((one) => one.locale !== null && primarySubtag(one.locale) === subtags[0])
  return exact.find((one) => one !== undefined) ?? ofLanguage ?? null
}

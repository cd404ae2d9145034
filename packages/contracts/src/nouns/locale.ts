import { z } from 'zod'

/** The languages of pages and messages for payers. */
export const languages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'cs', 'da', 'sv', 'ja'] as const

export type Language = (typeof languages)[number]

const pattern = `^(${languages.join('|')})(-[A-Z]{2})?$`

/** A language, and where one is given the region whose way of writing amounts and dates applies. */
export const locale = z
  .string()
  .regex(new RegExp(pattern), `must be one of ${languages.join(', ')}, with a region if any, such as de-AT`)
  .meta({ pattern, examples: ['de', 'pt-BR'] })

/** The language of a `locale`. */
export function languageOf(written: string): Language {
  const language = languages.find((one) => one === written.slice(0, 2))
  if (language === undefined) throw new Error(`${written} is no locale`)
  return language
}

/** How a locale writes numbers and dates. Portuguese without a region is that of Portugal, as its texts are. */
export const formatLocaleOf = (written: string): string => (written === 'pt' ? 'pt-PT' : written)

/**
 * The candidate for readers of `wanted`: the same locale, else its language without a region, else its language with
 * another region. The first of equals. Null: no candidate has this language.
 */
export function nearestLocale<T extends { readonly locale: string | null }>(
  wanted: string,
  candidates: readonly T[],
): T | null {
  const language = languageOf(wanted)
  const isNear = [
    (one: string) => one === wanted,
    (one: string) => one === language,
    (one: string) => one.startsWith(`${language}-`),
  ]
  for (const matches of isNear) {
    const found = candidates.find((one) => one.locale !== null && matches(one.locale))
    if (found !== undefined) return found
  }
  return null
}

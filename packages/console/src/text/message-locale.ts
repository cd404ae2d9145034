import type { Template } from '@payments/client/schemas'

/** The languages of the built-in messages. The rules below are the platform's, for previews. */
export const languages: readonly string[] = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'cs', 'da', 'sv', 'ja']

const readLanguage = (locale: string) => locale.split('-', 1)[0] ?? ''

/** The first locale whose language the built-in messages have; else English. */
export const firstWithTexts = (...wanted: readonly (string | null | undefined)[]): string =>
  wanted.find((locale) => locale != null && languages.includes(readLanguage(locale))) ?? 'en'

/**
 * The candidate for readers of `wanted`: the same locale, else the locale without its last parts, else its language
 * with other parts. The first of equals. Undefined where no candidate has the language.
 */
export function nearestLocale<T extends { readonly locale: string | null }>(
  wanted: string,
  candidates: readonly T[],
): T | undefined {
  const parts = wanted.split('-')
  const shorter = parts.map((_, dropped) => parts.slice(0, parts.length - dropped).join('-'))
  const exact = shorter.map((each) => candidates.find(({ locale }) => locale === each))
  return (
    exact.find((one) => one !== undefined) ??
    candidates.find(({ locale }) => locale !== null && readLanguage(locale) === parts[0])
  )
}

/** The template that a message has which names `named`: itself, or a translation of it. `templates`: newest first. */
export function sentTemplate(templates: readonly Template[], named: Template, wanted: string): Template {
  if (named.kind === 'built_in' || named.locale === wanted) return named
  const translations = templates.filter(
    (one) =>
      one.id !== named.id &&
      one.translates &&
      one.locale !== null &&
      one.name === named.name &&
      one.communication_type === named.communication_type &&
      one.business_unit_id === named.business_unit_id,
  )
  return nearestLocale(wanted, [named, ...translations]) ?? named
}

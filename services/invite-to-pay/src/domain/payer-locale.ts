import { locale } from '@payments/contracts/nouns/locale'
import { preferredLocale } from '@payments/contracts/nouns/preferred-locale'

export interface LocaleChoices {
  /** `lang` in the address of the page. */
  readonly chosen: string | null
  readonly ofCode: string | null
  readonly acceptLanguage: string | undefined
  readonly ofUnit: string | null
}

/** The locale of a page: the first one that a choice names, of the languages that the page has. */
export function localeOf({ chosen, ofCode, acceptLanguage, ofUnit }: LocaleChoices): string {
  return chosen ?? ofCode ?? preferredLocale(acceptLanguage) ?? ofUnit ?? 'en'
}

/** Null without one: copies of business units of an earlier release have none. */
export function defaultLocaleOf(unit: object): string | null {
  const { default_locale: written } = unit as { readonly default_locale?: unknown }
  const parsed = locale.safeParse(written)
  return parsed.success ? parsed.data : null
}

import { firstWithTexts } from '@payments/contracts/nouns/locale'
import { preferredLocale } from '@payments/contracts/nouns/preferred-locale'

export interface LocaleChoices {
  /** `lang` in the address of the page. */
  readonly chosen: string | null
  readonly ofCode: string | null
  readonly acceptLanguage: string | undefined
  readonly ofUnit: string | null
}

/** The locale of a page: the first one that a choice names, of the languages that the page has. */
export function chooseLocale({ chosen, ofCode, acceptLanguage, ofUnit }: LocaleChoices): string {
  return firstWithTexts(chosen, ofCode, preferredLocale(acceptLanguage), ofUnit)
}

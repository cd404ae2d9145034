import { type Language, languageOf, locale } from '@payments/contracts/nouns/locale'
import type { BusinessUnit } from '@payments/contracts/services/business-unit/contract'
import { cs } from './cs.ts'
import { da } from './da.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { ja } from './ja.ts'
import { nl } from './nl.ts'
import { pl } from './pl.ts'
import { pt } from './pt.ts'
import { sv } from './sv.ts'
import type { Texts } from './texts.ts'

export const textsByLanguage: Readonly<Record<Language, Texts>> = { en, de, fr, es, it, nl, pl, pt, cs, da, sv, ja }

export const textsOf = (of: string): Texts => textsByLanguage[languageOf(of)]

/** The locale of a message: that of the request, else that of the business unit, else English. */
export function messageLocale(requested: string | null, unit: Pick<BusinessUnit, 'default_locale'> | null): string {
  const found = requested ?? unit?.default_locale ?? null
  // A later release has more languages, and the business unit may have one of them.
  return found !== null && locale.safeParse(found).success ? found : 'en'
}

import { firstWithTexts, type Language, nearestLanguage } from '@payments/contracts/nouns/locale'
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

export const chooseTexts = (of: string): Texts => textsByLanguage[nearestLanguage(of)]

type Unit = Pick<BusinessUnit, 'default_locale'> | null

/** The locale of a message: that of the request, else that of the business unit, else English. */
export const messageLocale = (requested: string | null, unit: Unit): string => requested ?? unit?.default_locale ?? 'en'

/** The locale of our own texts in a message: of the same two, the first whose language we have. */
export const textLocale = (requested: string | null, unit: Unit): string =>
  firstWithTexts(requested, unit?.default_locale)

import { type Language, nearestLanguage } from '@payments/contracts/nouns/locale'
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

/** In the order in which a payer chooses a language. */
export const textsByLanguage: Readonly<Record<Language, Texts>> = { en, de, fr, es, it, nl, pl, pt, cs, da, sv, ja }

/** The texts for a locale such as `de-AT`. */
export const chooseTexts = (locale: string): Texts => textsByLanguage[nearestLanguage(locale)]

import { firstWithTexts } from '@payments/contracts/nouns/locale'
import type { BusinessUnit } from '@payments/contracts/services/business-unit/contract'

type Unit = Pick<BusinessUnit, 'default_locale'> | null

/** The locale of a message: of the request, else of the business unit, else English. */
export const messageLocale = (requested: string | null, unit: Unit): string => requested ?? unit?.default_locale ?? 'en'

/** The locale of our own texts in a message: of the request and the unit, the first whose language we have. */
export const textLocale = (requested: string | null, unit: Unit): string =>
  firstWithTexts(requested, unit?.default_locale)

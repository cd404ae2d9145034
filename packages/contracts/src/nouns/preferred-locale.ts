import { hasTexts, locale } from './locale.ts'

const headerLengthMax = 1000
const rangesMax = 10

/** A `lang` in the address of the page. Null for one that the page does not have, which is ignored. */
export function chosenLocale(lang: string | undefined): string | null {
  const parsed = locale.safeParse(lang)
  return parsed.success && hasTexts(parsed.data) ? parsed.data : null
}

/** The locale of Accept-Language that the reader prefers, of the languages that the page has. Null without one. */
export function preferredLocale(acceptLanguage: string | undefined): string | null {
  if (acceptLanguage === undefined || acceptLanguage.length > headerLengthMax) return null
  const [preferred] = acceptLanguage
    .split(',', rangesMax)
    .flatMap((range) => {
      const [tag = '', quality = 'q=1'] = range.split(';', 2).map((part) => part.trim())
      const readable = /^q=(0|1|0\.\d{1,3}|1\.0{1,3})$/.test(quality) ? Number(quality.slice(2)) : 0
      const ours = ourLocale(tag)
      return ours === null || readable === 0 ? [] : [{ ours, quality: readable }]
    })
    .sort((a, b) => b.quality - a.quality)
  return preferred?.ours ?? null
}

/** `de-at` as `de-AT`: language and region. Null for a language that the page does not have. */
function ourLocale(tag: string): string | null {
  const { data } = locale.safeParse(tag)
  if (data === undefined || !hasTexts(data)) return null
  const { language, region } = new Intl.Locale(data)
  return region !== undefined && /^[A-Z]{2}$/.test(region) ? `${language}-${region}` : language
}

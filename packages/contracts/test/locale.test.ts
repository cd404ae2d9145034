import { expect, test } from '@jest/globals'
import { firstWithTexts, locale, nearestLanguage, nearestLocale, toFormatLocale } from '../src/nouns/locale.ts'

test.each([
  ['de', 'de', 'de'],
  ['de-at', 'de-AT', 'de'],
  ['DE', 'de', 'de'],
  ['de_AT', 'de-AT', 'de'],
  ['de-DE-u-co-phonebk', 'de-DE-u-co-phonebk', 'de'],
  ['de-AT-1996', 'de-AT-1996', 'de'],
  ['es-419', 'es-419', 'es'],
  ['pt-BR', 'pt-BR', 'pt'],
  ['ZH-hant-tw', 'zh-Hant-TW', 'en'],
  ['ar', 'ar', 'en'],
  ['iw', 'he', 'en'],
])('%s is the locale %s, whose pages are in %s', (written, canonical, language) => {
  expect(locale.parse(written)).toBe(canonical)
  expect(locale.parse(canonical)).toBe(canonical)
  expect(nearestLanguage(canonical)).toBe(language)
  expect(new Intl.NumberFormat(canonical).format(1)).toEqual(expect.any(String))
})

test.each([
  '',
  'd',
  ' de',
  'de\n',
  'de--AT',
  'de-',
  'deutschland',
  'x-private',
  'de"><b>',
  `de-${'1996-'.repeat(20)}x`,
])('%j is no locale', (written) => {
  expect(locale.safeParse(written).success).toBe(false)
})

test.each([
  ['ar-u-nu-thai', 'ar'],
  ['de-AT-u-ca-buddhist-nu-deva', 'de-AT'],
  ['zh-Hant-TW-u-ca-roc', 'zh-Hant-TW'],
  ['en-t-de-x-private', 'en'],
  ['en-US-posix', 'en-US'],
  ['es-419', 'es-419'],
  ['pt', 'pt-PT'],
  ['pt-u-nu-thai', 'pt-PT'],
  ['pt-BR', 'pt-BR'],
])('%s writes numbers and dates as %s', (tag, format) => {
  expect(toFormatLocale(locale.parse(tag))).toBe(format)
})

test('of wanted locales, the first whose language our texts have is used', () => {
  expect(firstWithTexts('zh-Hant-TW', null, undefined, 'de-CH', 'fr')).toBe('de-CH')
  expect(firstWithTexts('zh', null)).toBe('en')
})

const of = (...locales: (string | null)[]) => locales.map((one, position) => ({ locale: one, position }))

test.each([
  ['de-AT', of('de', 'de-AT'), 1],
  ['de-AT', of(null, 'de-CH', 'de'), 2],
  ['de-AT', of('en', 'de-CH', 'de-DE'), 1],
  ['pt', of('pt-BR', 'pt-PT'), 0],
  ['de', of('de', 'de'), 0],
  ['zh-Hant-TW', of('zh-Hans', 'zh', 'zh-Hant'), 2],
  ['de-DE-u-co-phonebk', of('de-AT', 'de', 'de-DE'), 2],
  ['ar-EG', of('en', 'ar'), 1],
])('for %s, the nearest of %j is at %i', (wanted, candidates, position) => {
  expect(nearestLocale(wanted, candidates)?.position).toBe(position)
})

test('no candidate of another language or without one is chosen', () => {
  expect(nearestLocale('de', of('en', null, 'da'))).toBeNull()
})

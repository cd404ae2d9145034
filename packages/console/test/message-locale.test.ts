import { expect, test } from '@jest/globals'
import * as platform from '@payments/contracts/nouns/locale'
import { firstWithTexts, languages, nearestLocale } from '../src/text/message-locale.ts'

const locales = [
  'en',
  'en-GB',
  'de',
  'de-AT',
  'pt-BR',
  'pt',
  'nb',
  'zh-Hant',
  'zh-Hant-TW',
  'zh',
  'ru',
  'fr-CA',
  'ar-EG',
]

test('the languages of the built-in messages are those of the platform', () => {
  expect(languages).toEqual(platform.languages)
})

test('a preview finds the language and the translation that the platform finds', () => {
  const candidates = [...locales, null].map((locale) => ({ locale }))
  for (const wanted of locales) {
    for (const other of [...locales, null, undefined]) {
      expect([wanted, other, firstWithTexts(wanted, other)]).toEqual([
        wanted,
        other,
        platform.firstWithTexts(wanted, other),
      ])
    }
    for (let size = 0; size <= candidates.length; size += 1) {
      const some = candidates.slice(size)
      expect(nearestLocale(wanted, some) ?? null).toEqual(platform.nearestLocale(wanted, some))
    }
  }
})

import { expect, it } from '@jest/globals'
import { chosenLocale, preferredLocale } from '@payments/contracts/nouns/preferred-locale'
import fc from 'fast-check'
import { amountFormat, parseTimeZone } from '../src/domain/formats.ts'
import { localeOfVisit } from '../src/page/reply.ts'

it.each([
  [undefined, null],
  ['', null],
  ['de-CH, de;q=0.9, en;q=0.8', 'de-CH'],
  ['en;q=0.2, fr;q=0.7, *;q=0.9', 'fr'],
  ['de;q=0, fr;q=0.1', 'fr'],
  ['xx-YY, zh, it', 'it'],
  ['PT-br', 'pt-BR'],
  ['es-419', 'es'],
  ['de-u-nu-arab, ../etc, fr;q=2', 'de'],
  ['de-Latn-AT-1996', 'de-AT'],
  [`${'de,'.repeat(400)}de`, null],
  [`${'*,'.repeat(10)}de`, null],
])('takes the best locale of Accept-Language of which the page has the language: %p', (header, locale) => {
  expect(preferredLocale(header)).toBe(locale)
})

it('throws for no Accept-Language', () => {
  const part = fc.constantFrom(
    'en',
    'de-DE',
    'zh-Hant-TW',
    'i-klingon',
    'x',
    ';q=',
    '0.5',
    '1',
    ',',
    '-',
    '*',
    ' ',
    'ä',
  )
  const header = fc.oneof(
    fc.string(),
    fc.array(part, { maxLength: 20 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(header, (value) => {
      expect(amountFormat(preferredLocale(value) ?? 'en', 'EUR')(1)).toEqual(expect.any(String))
    }),
  )
})

const visited = (locale: string | null, ofUnit: string) => ({ code: { locale }, unit: { default_locale: ofUnit } })

it('takes the choice of the payer first, then code, browser, business unit and English', () => {
  const browser = { chosenLocale: null, acceptLanguage: 'fr-CH' }
  const code = visited('de-AT', 'pl')
  expect([
    localeOfVisit({ ...browser, chosenLocale: 'ja' }, code),
    localeOfVisit(browser, code),
    localeOfVisit(browser, visited(null, 'pl')),
    localeOfVisit({ ...browser, acceptLanguage: 'zh' }, visited(null, 'pl')),
    localeOfVisit({ ...browser, acceptLanguage: undefined }, null),
  ]).toEqual(['ja', 'de-AT', 'fr-CH', 'pl', 'en'])
})

it('skips a locale of a code and of a unit in a language that the page does not have', () => {
  const browser = { chosenLocale: null, acceptLanguage: 'fr-CH' }
  expect([
    localeOfVisit(browser, visited('zh-Hant-TW', 'pl')),
    localeOfVisit({ ...browser, acceptLanguage: undefined }, visited('zh-Hant-TW', 'fi-FI')),
  ]).toEqual(['fr-CH', 'en'])
})

it('ignores a choice that is no locale', () => {
  expect([chosenLocale('de-at'), chosenLocale('sv')]).toEqual(['de-AT', 'sv'])
  const unknown = [undefined, '', 'xx', 'zh-Hant', 'de"><script>', 'en-US-x', 'd'.repeat(10_000)]
  expect(unknown.map(chosenLocale)).toEqual(unknown.map(() => null))
})

it('takes names of the IANA database as time zones, and nothing else', () => {
  expect([parseTimeZone('Europe/Vienna'), parseTimeZone('america/new_york'), parseTimeZone('UTC')]).toEqual([
    'Europe/Vienna',
    'America/New_York',
    'UTC',
  ])
  const unknown = [undefined, '', 'Europe/Atlantis', '+02:00', '../etc/passwd', '<b>', 'A'.repeat(65)]
  expect(unknown.map(parseTimeZone)).toEqual(unknown.map(() => null))
})

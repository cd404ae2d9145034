import { expect, test } from '@jest/globals'
import { languageOf, languages, locale, nearestLocale } from '../src/nouns/locale.ts'

test.each(['de', 'de-AT', 'pt-BR', 'ja'])('%s is a locale', (written) => {
  expect(locale.parse(written)).toBe(written)
  expect(languages).toContain(languageOf(written))
})

test.each(['', 'DE', 'de_AT', 'de-at', 'de-AUT', 'ar', 'deutsch', ' de', 'de-AT-1996', 'de\n'])(
  '%j is no locale',
  (written) => {
    const { success, error } = locale.safeParse(written)
    expect([success, error?.issues[0]?.message]).toEqual([false, expect.stringMatching(/^must be one of en, de, fr/)])
  },
)

const of = (...locales: (string | null)[]) => locales.map((one, position) => ({ locale: one, position }))

test.each([
  ['de-AT', of('de', 'de-AT'), 1],
  ['de-AT', of(null, 'de-CH', 'de'), 2],
  ['de-AT', of('en', 'de-CH', 'de-DE'), 1],
  ['pt', of('pt-BR', 'pt-PT'), 0],
  ['de', of('de', 'de'), 0],
])('for %s, the nearest of %j is at %i', (wanted, candidates, position) => {
  expect(nearestLocale(wanted, candidates)?.position).toBe(position)
})

test('no candidate of another language or without one is chosen', () => {
  expect(nearestLocale('de', of('en', null, 'da'))).toBeNull()
})

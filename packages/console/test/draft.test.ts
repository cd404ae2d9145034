import { expect, test } from '@jest/globals'
import { choosePayerLocale, emptyDraft, sampleValues } from '../src/pages/invitations/draft.ts'
import { describeCause } from '../src/parts/causes.ts'

test.each([
  ['en', '€19.99', 'December 24, 2026'],
  ['de', '19,99 €', '24. Dezember 2026'],
  ['fr', '19,99 €', '24 décembre 2026'],
  ['pt', '19,99 €', '24 de dezembro de 2026'],
])('the sample of an invitation in %s has the formats of one language', (locale, amount, day) => {
  const unit = { id: 'unit', timezone_name: 'UTC', default_currency: 'EUR', default_locale: null }
  const draft = { ...emptyDraft(unit, true), amount: '19.99' }
  const values = sampleValues(draft, unit, locale, new Date('2026-12-23T12:00:00Z'))
  expect([values['amount']?.replaceAll('\u00a0', ' '), values['expires_on']]).toEqual([amount, day])
})

test('the language of the payer is the chosen one, else that of the transaction', () => {
  const unit = { id: 'unit', timezone_name: 'UTC', default_currency: 'EUR', default_locale: 'de' }
  const payment = { id: 'x', amount: 1, currency: 'EUR', capture: true, external_reference: null, locale: 'fr' }
  const of = (locale: string, paid?: typeof payment) => choosePayerLocale({ ...emptyDraft(unit, true), locale }, paid)
  expect([of('nl', payment), of('', payment), of('pt-', payment), of('de_at'), of('')]).toEqual([
    'nl',
    'fr',
    'fr',
    'de-AT',
    null,
  ])
})

test('the sample of an invitation has the minute and the time zone of its end', () => {
  const unit = { id: 'unit', timezone_name: 'Europe/Berlin', default_currency: 'EUR', default_locale: 'de' }
  const values = sampleValues(emptyDraft(unit, true), unit, 'de', new Date('2026-12-23T12:00:00Z'))
  expect(values['expires_at']).toBe('24. Dezember 2026 um 13:00 (Mitteleuropäische Zeit)')
})

test.each(['', 'E', 'EU', '€', 'EURO'])('the sample has no amount while the currency is %p, half typed', (currency) => {
  const unit = { id: 'unit', timezone_name: 'UTC', default_currency: 'EUR', default_locale: null }
  const draft = { ...emptyDraft(unit, true), amount: '5', currency }
  expect(sampleValues(draft, unit, 'en', new Date('2026-12-23T12:00:00Z'))['amount']).toBe('[amount]')
})

test.each(['__proto__', 'constructor', 'nothing'])('the cause %p is unknown', (kind) => {
  expect(describeCause(kind, null)).toBe('Unknown cause')
})

import { expect, test } from '@jest/globals'
import { causeOf } from '../src/pages/deliveries/causes.ts'
import { emptyDraft, sampleValues } from '../src/pages/invitations/draft.ts'

test.each([
  ['', null, '€19.99', 'December 24, 2026'],
  ['', 'de', '19,99 €', '24. Dezember 2026'],
  ['fr', 'de', '19,99 €', '24 décembre 2026'],
  ['pt', null, '19,99 €', '24 de dezembro de 2026'],
  ['pt-', 'de', '19,99 €', '24. Dezember 2026'],
])(
  'the sample of an invitation in %p of a unit with %p has the formats of one language',
  (locale, ofUnit, amount, day) => {
    const unit = { id: 'unit', timezone_name: 'UTC', default_currency: 'EUR', default_locale: ofUnit }
    const draft = { ...emptyDraft(unit, true), amount: '19.99', locale }
    const values = sampleValues(draft, unit, new Date('2026-12-23T12:00:00Z'))
    expect([values['amount']?.replaceAll('\u00a0', ' '), values['expires_on']]).toEqual([amount, day])
  },
)

test('the sample of an invitation has the minute and the time zone of its end', () => {
  const unit = { id: 'unit', timezone_name: 'Europe/Berlin', default_currency: 'EUR', default_locale: 'de' }
  const values = sampleValues(emptyDraft(unit, true), unit, new Date('2026-12-23T12:00:00Z'))
  expect(values['expires_at']).toBe('24. Dezember 2026 um 13:00 (Mitteleuropäische Zeit)')
})

test.each(['', 'E', 'EU', '€', 'EURO'])('the sample has no amount while the currency is %p, half typed', (currency) => {
  const unit = { id: 'unit', timezone_name: 'UTC', default_currency: 'EUR', default_locale: null }
  const draft = { ...emptyDraft(unit, true), amount: '5', currency }
  expect(sampleValues(draft, unit, new Date('2026-12-23T12:00:00Z'))['amount']).toBe('[amount]')
})

test.each(['__proto__', 'constructor', 'nothing'])('the cause %p is unknown', (kind) => {
  expect(causeOf(kind, null)).toBe('Unknown cause')
})

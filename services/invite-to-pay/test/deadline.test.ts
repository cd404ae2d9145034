import { expect, test } from '@jest/globals'
import { languages } from '@payments/contracts/nouns/locale'
import { invitationVariables } from '../src/domain/message.ts'

const code = {
  amount: 3998,
  currency: 'EUR',
  communicationDetails: {},
  expiresAt: new Date('2026-11-29T08:40:00Z'),
  reference: 'order-7',
}
const expiresAt = (locale: string, timeZone: string) =>
  invitationVariables(code, 'https://pay.example.com/pay/x', { locale, timeZone })['expires_at'] ?? ''

test.each(languages)('a message in %s says day, minute and time zone at which the link ends', (language) => {
  const [text, zone] = expiresAt(language, 'Europe/Berlin').split(' (') as [string, string]
  expect(text).toMatch(/29/)
  expect(text).toMatch(/2026/)
  expect(text).toMatch(/\b0?9[:.]40/)
  expect(zone).toMatch(/^\D.*\)$/)
})

test('the zone is that of the business unit, so the day may be another one', () => {
  expect(expiresAt('en', 'Europe/Berlin')).toBe('November 29, 2026 at 9:40 AM (Central European Time)')
  expect(expiresAt('en', 'America/Los_Angeles')).toBe('November 29, 2026 at 12:40 AM (Pacific Time)')
  expect(expiresAt('en', 'Pacific/Honolulu')).toMatch(/^November 28, 2026 at 10:40 PM /)
})

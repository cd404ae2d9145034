import { expect, it } from '@jest/globals'
import { contrast, textOn } from '@payments/contracts/nouns/color-contrast'
import fc from 'fast-check'
import { amountFormat } from '../src/domain/formats.ts'
import { brandProperties } from '../src/page/brand.ts'
import type { PayPage } from '../src/page/model.ts'
import { renderPayPage } from '../src/page/render.ts'
import { activePage, merchant, pages, payment, sandboxForm } from './pay-pages.ts'

const spaces = /[\u00a0\u202f]/g
const render = (page: PayPage, locale = page.locale) => renderPayPage({ ...page, locale })
const renderText = (page: PayPage, locale?: string) =>
  render(page, locale)
    .html.replaceAll(/<style>[\s\S]*?<\/style>|<[^>]+>/g, '')
    .replaceAll(spaces, ' ')

it.each([
  ['JPY', 5497, 'en-GB', 'JP¥5,497'],
  ['EUR', 5497, 'de-DE', '54,97 €'],
  ['KWD', 5497, 'en-GB', 'KWD 5.497'],
  ['CLF', 5497, 'en-GB', 'CLF 0.5497'],
  ['USD', 999_999_999_999, 'en-US', '$9,999,999,999.99'],
  ['EUR', 123_456_789, 'pt', '1 234 567,89 €'],
  ['EUR', 123_456_789, 'pt-BR', '€ 1.234.567,89'],
  ['EUR', 5497, 'de-u-nu-thai', '54,97 €'],
  ['UYW', 999_999_999_999, 'en-US', 'UYW 99,999,999.9999'],
])('formats minor units of %s exactly: %d for %s', (currency, amount, locale, formatted) => {
  expect(amountFormat(locale, currency)(amount).replaceAll(spaces, ' ')).toBe(formatted)
})

it('shows the amount in the locale of the payer, and the date in the time zone of the merchant with its name', () => {
  const german = renderText(activePage, 'de-DE')
  expect(german).toContain('54,97 €')
  expect(german).toContain('Zahlungsfrist: 22. November 2026 um 11:00 (Mitteleuropäische Zeit)')
  const american = renderText({ ...activePage, payment: { ...payment, timezone: 'America/New_York' } }, 'en-US')
  expect(american).toContain('€54.97')
  expect(american).toContain('Pay by November 22, 2026 at 5:00 AM (Eastern Time)')
})

it('shows the end of a confirmation in the time zone of the payer', () => {
  const page = pages['confirming'] as PayPage
  const confirmation = page.confirmation && { ...page.confirmation, timeZone: 'America/New_York' }
  expect(renderText({ ...page, confirmation }, 'en-US')).toContain('Confirm by 5:30 AM EST.')
})

it('loads itself again without JavaScript while a payment is in progress, and never with a button on it', () => {
  expect(render(pages['processing'] as PayPage).html).toContain('http-equiv="refresh"')
  const confirming = render(pages['confirming'] as PayPage).html
  expect(confirming).not.toContain('http-equiv="refresh"')
  expect(confirming).toContain('<p id="again"><a class="button secondary" href="/pay/x">Check again</a></p>')
})

it('shows quantity, unit price and sum of each item', () => {
  const text = renderText(activePage)
  expect(text).toContain('Coffee beans, 1 kg 2 × €19.99 €39.98')
  expect(text).toContain('Paper filters, 100 pieces €14.99')
})

it('names a limit of attempts in place of the form', () => {
  const text = renderText(pages['too many'] as PayPage)
  expect(text).toContain('Too many attempts – Berlin Coffee')
  expect(text).toContain('Wait a minute, then try again.')
  expect(text).not.toContain('not available')
})

it('reveals nothing about a merchant or a payment for an unknown code', () => {
  const { html, policy } = render(pages['unknown'] as PayPage)
  expect(html).not.toMatch(/Berlin|54|ORDER|help@|<form/)
  expect(policy).toContain("img-src 'none'; frame-src 'none'")
})

it.each(['processing', 'completed', 'expired', 'canceled', 'test', 'unavailable'])(
  'offers no payment when %s',
  (name) => {
    expect(render(pages[name] as PayPage).html).not.toMatch(/<form|<button|<iframe|the-nonce/)
  },
)

it.each([
  ['insufficient_funds', 'too little money'],
  ['expired_card', 'has expired'],
  ['incorrect_cvc', 'security code'],
  ['issuer_unavailable', 'Try again in a few minutes'],
  ['lost_or_stolen', 'did not approve'],
  ['suspected_fraud', 'did not approve'],
  ['__proto__', 'did not approve'],
  [null, 'did not approve'],
])('explains a decline without its code, and never accuses the payer: %s', (declineCode, sentence) => {
  const text = renderText({ ...activePage, form: null, notice: { kind: 'declined', declineCode } })
  expect(text).toContain(sentence)
  expect(text).toContain('You have not been charged.')
  expect(text).not.toMatch(/stolen|fraud|_/)
})

it('allows its own style and script only, without logo and card page', () => {
  expect(render(activePage).policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; script-src( 'sha256-[\w+/]{43}='){2}; img-src 'none'; frame-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  )
})

it('allows the origins of logo and card page, and the scripts that the card page needs', () => {
  const entry = { kind: 'frame', url: 'https://cards.example:8443/form?a=b;c', isTrusted: true, isOurs: false } as const
  const logoUrl = 'https://logo.example/a.svg?x=;y'
  const { policy } = render({ ...activePage, merchant: { ...merchant, logoUrl }, form: { ...sandboxForm, entry } })
  expect(policy).toMatch(/script-src( 'sha256-[\w+/]{43}='){3}; img-src/)
  expect(policy).toContain('; img-src https://logo.example; frame-src https://cards.example:8443; form-action')
})

it.each([
  'http://logo.example/a',
  'javascript:alert(1)',
  'data:image/png,',
  'https://a;script-src *.example/',
  'https://*/',
  'x',
])('leaves out a logo, a card page and a return link that a policy cannot name: %s', (url) => {
  const form = { ...sandboxForm, entry: { kind: 'frame', url, isTrusted: true, isOurs: false } } as const
  const { html, policy } = render({ ...activePage, merchant: { ...merchant, logoUrl: url }, form })
  expect(html).not.toMatch(/<img|<iframe|cc_token/)
  expect(html).toContain('Card entry is not available')
  expect(policy).toMatch(/script-src 'sha256-[\w+/]{43}='; img-src 'none'; frame-src 'none'; form-action/)
  expect(render({ ...activePage, state: 'completed', form: null, returnUrl: url }).html).not.toContain('Return to')
})

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

it('writes on the color of the merchant with a contrast of at least 4.5, and shows its edge with at least 3', () => {
  fc.assert(
    fc.property(color, fc.constantFrom('light' as const, 'dark' as const), (brand, scheme) => {
      expect(contrast(brand, textOn(brand))).toBeGreaterThanOrEqual(4.5)
      const properties = Object.fromEntries(
        brandProperties(brand, scheme)
          .split(';')
          .map((pair) => pair.split(':') as [string, string]),
      )
      expect(properties['--brand']).toBe(brand)
      expect(contrast(properties['--brand-edge'] ?? '', properties['--surface'] ?? '')).toBeGreaterThanOrEqual(3)
    }),
  )
  expect(contrast('#000000', '#ffffff')).toBe(21)
})

it('vouches only for a card page that the operator of the platform lists, and names any other one', () => {
  expect(renderText(pages['frame'] as PayPage)).toContain('Berlin Coffee does not see them.')
  const foreign = renderText(pages['foreign frame'] as PayPage)
  expect(foreign).not.toMatch(/does not see|encrypted/)
  expect(foreign).toContain('The card form is a page of cards.example.')
})

it('ignores a color that is none', () => {
  const { html } = render({ ...activePage, merchant: { ...merchant, primaryColor: 'red}</style>' } })
  expect(html).not.toContain('red}')
})

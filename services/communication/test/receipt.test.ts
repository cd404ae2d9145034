import { expect, test } from '@jest/globals'
import { contrast } from '@payments/contracts/nouns/color-contrast'
import fc from 'fast-check'
import { buttonColors } from '../src/domain/branding.ts'
import { itemLines } from '../src/domain/items.ts'
import { builtIn, merchant, readWords, renderMail, twoItems } from './mails.ts'

const receipt = builtIn('receipt')

test('a receipt has merchant, amount, items, time, card, reference and support address', () => {
  const { subject, text, html } = renderMail(receipt, { locale: 'en' })
  expect(subject).toBe('Receipt from Berlin Coffee for EUR 12.34')
  expect(text).toBe(
    [
      'Hello Ada Lovelace,',
      'Thank you. Berlin Coffee received your payment of EUR 12.34.',
      '2 × Espresso: EUR 10.34\n1 × Filters: EUR 2.00',
      [
        ...['Amount: EUR 12.34', 'For: Two bags', 'Date: 2026-11-27 16:20 CET', 'Paid with: Visa ending in 4242'],
        'Reference: Order-4711',
      ].join('\n'),
      'Questions? Write to help@example.com.',
    ].join('\n\n'),
  )
  expect(readWords(html as string)).toContain('2 × Espresso EUR 10.34 1 × Filters EUR 2.00 Amount EUR 12.34')
  expect(html).toContain('<a href="mailto:help@example.com">help@example.com</a>')
})

test('a receipt with the amount alone has no empty line, no logo and no table of items', () => {
  const { text, html } = renderMail(receipt, { locale: 'en', isBare: true })
  expect(text.split('\n\n')).toEqual([
    'Hello,',
    expect.stringMatching(/^Thank you\. Unit .* received your payment of EUR 12\.34\.$/),
    'Amount: EUR 12.34',
  ])
  expect(html).not.toMatch(/<img|mailto|Reference|Paid with/)
})

test('the day is shown without the time where the caller has no time', () => {
  const values = { amount: 'EUR 1', paid_on: '27 November 2026' }
  expect(renderMail(receipt, { locale: 'en', values }).text).toContain('Date: 27 November 2026\n\n')
  const both = renderMail(receipt, { locale: 'en', values: { ...values, paid_at: '27 November 2026, 16:20' } })
  expect(both.text).toContain('Date: 27 November 2026, 16:20\n\n')
})

test('digits without a brand are those of a card or an account', () => {
  const { text } = renderMail(receipt, { locale: 'en', values: { amount: 'EUR 1', last4: '6789' } })
  expect(text).toContain('Paid with: Number ending in 6789')
  const { text: without } = renderMail(receipt, { locale: 'en', values: { amount: 'EUR 1', brand: 'Visa' } })
  expect(without).not.toContain('Visa')
})

const buildItems = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `Item-${index + 1}`, quantity: 1, amount: `EUR ${index + 1}` }))

test.each([
  [50, 'en', null],
  [51, 'en', '1 more item'],
  [200, 'en', '150 more items'],
  [52, 'pl', '2 kolejne pozycje'],
  [55, 'pl', '5 kolejnych pozycji'],
  [51, 'de', '1 weiterer Artikel'],
  [60, 'ja', 'ほか 10 点'],
])('of %i items, a receipt in %s shows 50 and then %j', (count, locale, more) => {
  const { text, html } = renderMail(receipt, { locale, items: buildItems(count) })
  expect(text).toContain('Item-50')
  expect(text).not.toContain('Item-51')
  expect(text.match(/^.*Item-\d+.*$/gm)).toHaveLength(50)
  for (const part of [text, html as string]) {
    if (more === null) expect(part).not.toMatch(/Item-51|more item/)
    else expect(part).toContain(more)
  }
})

test('200 items with the longest names fit into a message', () => {
  for (const character of ["'", '茶', '😀']) {
    const name = character.repeat(200 / character.length)
    const items = Array.from({ length: 200 }, () => ({ name, quantity: 1, amount: '"'.repeat(100) }))
    const { text, html } = renderMail(receipt, { locale: 'pl', items })
    expect(Buffer.byteLength(html as string)).toBeLessThan(48 * 1024)
    const shown = text.split(name).length - 1
    expect(shown).toBeGreaterThan(10)
    expect(text).toContain(`${200 - shown} kolejn`)
  }
})

test('the quantity is written as readers of the locale write numbers', () => {
  const items = [{ name: 'Screws', quantity: 12_000, amount: 'EUR 1' }]
  expect(itemLines(items, 'de')).toBe('12.000 × Screws: EUR 1')
  expect(itemLines(items, 'fr')).toBe('12\u202f000 × Screws\u00a0: EUR 1')
})

test('hostile names of items stay text of one line, in plain text and in HTML', () => {
  const items = [
    { name: '<script>alert(1)</script><b>&amp;', quantity: 1, amount: 'EUR 1' },
    { name: 'One\r\nBcc: evil@example.com\u2028two', quantity: 1, amount: 'EUR 2' },
    { name: '\u202eEUR 0.01\u202c \u2066x', quantity: 1, amount: '\u202eEUR 3' },
    { name: '{{amount}} {{reference}} $& $1', quantity: 1, amount: '{{item_1}}' },
  ]
  const { subject, text, html } = renderMail(receipt, { locale: 'en', items })
  expect(text).toContain(
    [
      '1 × <script>alert(1)</script><b>&amp;: EUR 1',
      '1 × One Bcc: evil@example.com two: EUR 2',
      '1 × EUR 0.01 x: EUR 3',
      '1 × {{amount}} {{reference}} $& $1: {{item_1}}',
    ].join('\n'),
  )
  expect(html).not.toMatch(/<script|\p{Bidi_Control}/u)
  expect(html).toContain('1 × &lt;script&gt;alert(1)&lt;/script&gt;&lt;b&gt;&amp;amp;')
  expect(html).toContain('1 × {{amount}} {{reference}} $&amp; $1')
  expect(subject).toBe('Receipt from Berlin Coffee for EUR 12.34')
})

test('items as a variable are lines of text, as a preview shows them', () => {
  const { text, html } = renderMail(receipt, {
    locale: 'en',
    items: [],
    values: { amount: 'EUR 1', items: '2 × Tea: EUR 1\n1 × <b>: EUR 0' },
  })
  expect(text).toContain('\n\n2 × Tea: EUR 1\n1 × <b>: EUR 0\n\n')
  expect(html).toContain('white-space:pre-line">2 × Tea: EUR 1\n1 × &lt;b&gt;: EUR 0</p>')
})

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

test('the text of the button is readable on any color of a merchant, and its edge on light and on dark', () => {
  fc.assert(
    fc.property(color, (fill) => {
      const { button_text_color: text, button_edge_color: edge } = buttonColors(fill)
      const edges = ['#ffffff', '#1e1e1e'].map((background) => contrast(edge, background))
      return contrast(text, fill) >= 4.5 && Math.min(...edges) >= 3
    }),
    { numRuns: 200 },
  )
  const invitation = renderMail(builtIn('invitation'), { locale: 'en' })
  expect(invitation.html).toContain('background:#ffd400;color:#000000;border:1px solid #808080')
})

test('a unit without a color has a readable button', () => {
  const unit = { ...merchant, branding: { ...merchant.branding, primary_color: null } }
  const { html } = renderMail(builtIn('invitation'), { locale: 'en', unit, items: twoItems })
  expect(html).toContain('background:#1f2933;color:#ffffff;border:1px solid #808080')
})

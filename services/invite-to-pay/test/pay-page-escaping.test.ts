/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { languages } from '@payments/contracts/nouns/locale'
import { type Browser, openBrowser, type Page } from '@payments/testing/peers/browser'
import fc from 'fast-check'
import type { PayPage } from '../src/page/model.ts'
import { renderPayPage } from '../src/page/render.ts'
import { activePage, merchant, payment, sandboxForm } from './pay-pages.ts'

/** The parser of a browser decides what is a tag. */
let browser: Browser
let page: Page

beforeAll(async () => {
  browser = await openBrowser()
  page = await browser.newPage()
})

afterAll(() => browser?.close())

interface Parsed {
  /** Each element with the names of its attributes, in document order. */
  readonly elements: readonly string[]
  readonly texts: readonly string[]
  readonly values: readonly string[]
}

const parse = (html: string) =>
  page.evaluate<Parsed>(`(() => {
    const all = [...new DOMParser().parseFromString(${JSON.stringify(html)}, 'text/html').querySelectorAll('*')]
    return {
      elements: all.map((one) => [one.localName, ...one.getAttributeNames()].join(' ')),
      texts: all.filter(({ localName }) => localName === 'bdi').map(({ textContent }) => textContent),
      values: all.flatMap((one) => ['value', 'action', 'src', 'href'].map((name) => one.getAttribute(name) ?? '')),
    }
  })()`)

const fragment = fc.constantFrom(
  '<script>alert(1)</script>',
  '</style><script>',
  '</title><img src=x onerror=alert(1)>',
  '" onload="alert(1)',
  "' autofocus onfocus='alert(1)",
  '`',
  '&lt;b&gt;&#60;',
  '--><svg/onload=alert(1)>',
  '</bdi></main></html>',
  '${1}',
  '\u202e\u2066',
  ']]>',
)
const hostile = fc
  .array(fc.oneof(fragment, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join('').replaceAll(/[\0\r]/g, ''))
  .filter((text) => text.trim() !== '')

/** Every text and every part of a URL that a merchant, a payer or an attacker decides. */
const pageWith = (text: string, kind: 'sandbox' | 'frame' | 'completed'): PayPage => {
  const url = `https://host.example/${text}`
  return {
    ...activePage,
    state: kind === 'completed' ? 'completed' : 'active',
    merchant: { ...merchant, name: text, logoUrl: url, supportEmail: text, primaryColor: text },
    payment: {
      ...payment,
      items: [{ name: text, unit_amount: 1, quantity: 2 }],
      description: text,
      payerName: text,
      reference: text,
    },
    form:
      kind === 'completed'
        ? null
        : { ...sandboxForm, nonce: text, entry: { kind, url, isTrusted: false, isOurs: false } },
    returnUrl: url,
  }
}

it.each(['sandbox', 'frame', 'completed'] as const)(
  'adds no tag and no attribute for hostile texts: %s',
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(hostile, fc.constantFrom(...languages), async (text, locale) => {
        const { elements } = await parse(renderPayPage({ ...pageWith('plain', kind), locale }).html)
        expect(elements.length).toBeGreaterThan(20)
        const { html, policy } = renderPayPage({ ...pageWith(text, kind), locale })
        const parsed = await parse(html)
        expect(parsed.elements).toEqual(elements)
        expect(parsed.texts).toContain(text)
        expect(parsed.values).toContain(`https://host.example/${text}`)
        expect(policy.split(';')).toHaveLength(8)
      }),
      { numRuns: 50 },
    )
  },
)

import { expect, test } from '@jest/globals'
import type { Problem } from '@payments/contracts/problem'
import fc from 'fast-check'
import { linkVariablesOf, reasonAgainst } from '../src/domain/html-rules.ts'
import { placeholdersOf } from '../src/domain/placeholders.ts'
import { escapeHtml, render } from '../src/domain/render.ts'

test.each([
  '<script src="https://example.com/x.js"></script>',
  '<SCRIPT>x</SCRIPT>',
  '< script>x',
  '<iframe src="https://example.com">',
  '<object data="x">',
  '<base href="https://example.com">',
  '<img src="https://example.com/x" onerror="x">',
  '<img/onerror=x>',
  '<p ONCLICK = "x">',
  '<a href="javascript:x">',
  '<a href=" JaVaScRiPt:x">',
  '<a href="java&#115;cript:x">',
  '<a href="java&#x73;cript&colon;x">',
  '<a href="java\n\tscript:x">',
  '<a href="java&Tab;script:x">',
  '<p {{x}}>',
  '<p title={{x}}>',
  '<p title="a" {{x}} id="b">',
  '<{{x}}>',
  '<p a= b="{{x}}">',
  '<p a"b {{x}} c">',
  '<p title="{{x}}"{{x}}>',
  '</p{{x}}>',
  '<!-- {{x}} -->',
  '<style>p { color: {{x}} }</style>',
])('rejects %s', (html) => {
  expect(reasonAgainst(html)).toEqual(expect.any(String))
})

test.each([
  '<p>{{x}}</p>',
  '<a href="{{x}}" title=\'{{x}}\'>{{x}}</a>',
  '<p style="color:{{x}}">Sign on = yes, a < b {{x}}</p>',
  '<p>The script is on=line</p>',
  '<img src="{{x}}" alt="{{x}}"/>',
  '<style>p { color: red }</style><!-- note -->',
])('accepts %s', (html) => {
  expect(reasonAgainst(html)).toBeNull()
})

const contentOf = (html: string) => ({
  name: 'x',
  subject: 'x',
  text: 'x',
  html,
  variables: [{ name: 'x', required: true, description: '' }],
})

test('no value adds an element or an attribute, or becomes a template', () => {
  const html = '<p title="{{x}}" id=\'{{x}}\'>{{x}}</p>'
  const structure = (text: string) => text.replaceAll(/[^<>"']/g, '')
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ maxLength: 50 }), fc.constantFrom('"><b', "'", '{{x}}', '$&', '</p>')),
      (value) => {
        const rendered = render('EMAIL', contentOf(html), { x: value }).html ?? ''
        expect(structure(rendered)).toBe(structure(html))
        const escaped = escapeHtml(value)
        expect(rendered).toBe(`<p title="${escaped}" id='${escaped}'>${escaped}</p>`)
      },
    ),
  )
})

test('the subject of any value has one line', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', ' ', '\r', '\n', '\0', '\u0085', '\u2028', '\u2029'), maxLength: 90 }),
      (value) => {
        const content = { ...contentOf('x'), subject: 'Hi {{x}}' }
        expect(render('EMAIL', content, { x: value }).subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
      },
    ),
  )
})

test.each(['javascript:x', 'data:text/html,x', ' https://example.com', 'https://exa mple.com'])(
  'a link does not begin with the value %s',
  (value) => {
    const errors = [{ pointer: '/variables/x', detail: 'must be an https, http, mailto or tel address' }]
    let options: unknown
    try {
      render('EMAIL', contentOf('<a href="{{x}}">x</a>'), { x: value })
    } catch (error) {
      options = (error as Problem).options
    }
    expect(options).toEqual({ errors })
  },
)

test.each(['<', '<a ', '<a "', "<a '", '<a href', '<!--', '<style', '{{', '{{a', '&#', '<p title="{{x}}" ', '<a a=a '])(
  'decides in time about 64 KiB of %s',
  (part) => {
    const html = part.repeat(Math.floor(65_536 / part.length))
    const startedAt = performance.now()
    reasonAgainst(html)
    placeholdersOf(html)
    linkVariablesOf(html)
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  },
)

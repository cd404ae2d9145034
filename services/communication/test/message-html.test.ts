import { describe, expect, test } from '@jest/globals'
import type { Problem } from '@payments/contracts/grammar/problem'
import fc from 'fast-check'
import { escapeHtml } from '../src/domain/escape-html.ts'
import { reasonAgainst, sanitize } from '../src/domain/message-html.ts'
import { hasLinkInAddress, readPlaceholders } from '../src/domain/placeholders.ts'
import { render } from '../src/domain/render.ts'
import { hostile } from './hostile-html.ts'

test.each(hostile)('rejects %s', (html) => {
  expect(reasonAgainst(html)).toEqual(expect.stringMatching(/^must/))
})

/** Text that acts or loads, as a browser would read the sanitized HTML. */
const active =
  /<\/?(?:script|style|iframe|frame|object|embed|applet|base|form|input|button|select|option|textarea|isindex|link|svg|math|video|audio|source|template|noscript|xmp|marquee|details)\b|<[^>]*\son\w+=|(?:java|vb)script|data:|file:|blob:|http-equiv="(?:refresh|set-cookie)|srcset|usemap|formaction|ping=|background=|\burl\(|expression|position|@import|binding|behavior/i

test.each(hostile)('a message that has %s is sent without it', (html) => {
  const written = sanitize(`<p>before</p>${html}<p>after</p>`)
  expect(written).toContain('<p>before</p>')
  expect(written.replaceAll(/&lt;.*?(?:&gt;|$)/g, '').replaceAll(/>[^<]*</g, '><')).not.toMatch(active)
})

test.each([
  '<p {{x}}>',
  '<p title={{x}}>',
  '<p title="a" {{x}} id="b">',
  '<{{x}}>',
  '<p{{x}}>',
  '<p a= b="{{x}}">',
  '<p a"b {{x}} c">',
  '<p title="{{x}}"{{x}}>',
  '<a href={{x}}>x</a>',
])('rejects the variable in %s', (html) => {
  expect(reasonAgainst(html)).toBe('must not use a variable in a tag, except in a quoted attribute')
})

test.each([
  ['<script>x</script>', 'must not contain <script>'],
  ['<p onclick="x">', 'must not have the attribute "onclick" of <p> with this value'],
  ['<a href="javascript:x">x</a>', 'must begin with https, http, mailto, tel in "href" of <a>'],
  ['<p style="color:red;position:fixed">', 'must not have "position" with this value in "style" of <p>'],
])('names the fault of %s', (html, reason) => {
  expect(reasonAgainst(html)).toBe(reason)
})

const newsletter = `<!DOCTYPE html>
<html lang="en" xmlns="http://www.w3.org/1999/xhtml"><head>
<meta charset="utf-8"><meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Your order {{x}}</title></head>
<body style="margin:0;padding:0;background-color:#f4f5f7;font-family:-apple-system,'Segoe UI',Arial,sans-serif" bgcolor="#f4f5f7">
<!-- preheader --><div style="display:none;max-height:0;overflow:hidden;mso-hide:all">Thank you &amp; see you soon&nbsp;&copy;</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" align="center"><tbody><tr>
<td align="center" valign="top" style="padding:24px 12px;border-top:4px solid rgb(17, 34, 51)">
<img src="https://example.com/logo.png" alt="" width="120" height="40" style="max-width:100%;height:auto !important"><img src="cid:logo">
<h1 style="font:700 24px/1.3 Georgia,serif;color:rgba(0,0,0,.8)">Hello {{x}}</h1>
<p style="line-height:1.5;color:{{x}}">a < b, sign on = yes. <b>Pay</b> <a href="{{x}}" style="background:#112233;border-radius:6px" target="_blank">now</a></p>
<a href="https://example.com/{{x}}?a=1&amp;b={{x}}">order</a> <a href="mailto:help@example.com?subject={{x}}">mail</a>
<a href="tel:+4930123456">call</a> <a href="#terms">terms</a><hr><ul><li>one<li>two</ul><br>
</td></tr></tbody></table></body></html>`

test('accepts what honest mails have, and keeps it', () => {
  expect(reasonAgainst(newsletter)).toBeNull()
  const written = sanitize(newsletter)
  for (const part of [
    '<!doctype html>\n<html lang="en"',
    'charset=utf-8" />',
    "font-family:-apple-system,'Segoe UI',Arial,sans-serif",
    'mso-hide:all',
    'border-top:4px solid rgb(17, 34, 51)',
    'height:auto !important',
    '<img src="cid:logo" />',
    'font:700 24px/1.3 Georgia,serif;color:rgba(0,0,0,.8)',
    'cellpadding="0" cellspacing="0"',
    'target="_blank"',
    'a &lt; b',
    'Thank you &amp; see you soon\u00a0©',
    'href="https://example.com/{{x}}?a=1&amp;b={{x}}"',
  ])
    expect(written).toContain(part)
  expect(sanitize(written)).toBe(written)
})

test.each([
  '<p>{{x}}</p>',
  '<a href="{{x}}" title=\'{{x}}\'>{{x}}</a>',
  '<p style="width:{{x}}px;color:{{x}}">x</p>',
  '<img src="{{x}}" alt="{{x}}"/>',
  '<a href="{{x}}{{x}}">x</a>',
  '<!-- {{x}} -->',
])('accepts %s', (html) => {
  expect(reasonAgainst(html)).toBeNull()
})

const toContent = (html: string) => ({
  name: 'x',
  subject: 'x',
  text: 'x',
  html,
  variables: ['x', 'y'].map((name) => ({ name, required: false, description: '' })),
})

test('no value adds an element or an attribute, or becomes a template', () => {
  const html = '<p title="-{{x}}" id=\'-{{x}}\'>{{x}}</p>'
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ maxLength: 50 }),
        fc.constantFrom('"><b', "'", '{{x}}', '$&', '</p>', '<!--', '&quot;><b>', '&#34;', '<script>x</script>'),
      ),
      (value) => {
        const rendered = render('EMAIL', toContent(html), { x: value }).html ?? ''
        const text = value.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
        const attribute = escapeHtml(text).replaceAll('&#39;', "'")
        const written = attribute.replaceAll('&quot;', '"')
        expect(rendered.replaceAll('\r\n', '\n').replaceAll('\r', '\n')).toBe(
          `<p title="-${attribute}" id="-${attribute}">${written}</p>`,
        )
      },
    ),
  )
})

test('the subject of any value has one line', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', ' ', '\r', '\n', '\0', '\u0085', '\u2028', '\u2029'), maxLength: 90 }),
      (value) => {
        const content = { ...toContent('x'), subject: 'Hi {{x}}' }
        expect(render('EMAIL', content, { x: value }).subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
      },
    ),
  )
})

const link = 'must be an address that begins with https, http, mailto, tel'
const image = 'must be an address that begins with https, cid'
const style = 'must be a value of a style'

test.each([
  ['<a href="{{x}}">x</a>', { x: 'javascript:alert(1)' }, ['x'], link],
  ['<a href="{{x}}">x</a>', { x: 'data:text/html,x' }, ['x'], link],
  ['<a href="{{x}}">x</a>', { x: '\u0001javascript:alert(1)' }, ['x'], link],
  ['<a href="{{x}}">x</a>', { x: 'https://exa mple.com' }, ['x'], link],
  ['<a href="{{x}}">x</a>', { x: 'example.com' }, ['x'], link],
  ['<a href="{{x}}{{y}}">x</a>', { y: 'javascript:alert(1)' }, ['x', 'y'], link],
  ['<a href="{{x}}{{y}}">x</a>', { x: 'java', y: 'script:alert(1)' }, ['x', 'y'], link],
  ['<a href="{{x}}//evil.example.com">x</a>', { x: '' }, ['x'], link],
  ['<a href=" {{x}}">x</a>', { x: 'vbscript:x' }, ['x'], link],
  ['<img src="{{x}}">', { x: 'data:image/png;base64,AAAA' }, ['x'], image],
  ['<img src="{{x}}">', { x: 'http://example.com/x' }, ['x'], image],
  ['<p style="color:{{x}}">x</p>', { x: 'red;background:url(https://example.com)' }, ['x'], style],
  ['<p style="color:{{x}}">x</p>', { x: 'red;display:none' }, ['x'], style],
  ['<p style="color:{{x}}">x</p>', { x: 'url(https://example.com)' }, ['x'], style],
  ['<p style="color:{{x}}">x</p>', { x: 'red}body{display:none' }, ['x'], style],
])('rejects in %s the values %j', (html, values, variables, detail) => {
  let options: unknown
  try {
    render('EMAIL', toContent(html), values)
  } catch (error) {
    options = (error as Problem).options
  }
  expect(options).toEqual({ errors: variables.map((name) => ({ pointer: `/variables/${name}`, detail })) })
})

test.each([
  ['<a href="{{x}}">x</a>', { x: 'https://example.com/?a=1&b="2"' }, 'https://example.com/?a=1&amp;b=&quot;2&quot;'],
  ['<a href="{{x}}">x</a>', { x: '' }, '<a>x</a>'],
  ['<a href="{{x}}{{y}}">x</a>', { y: 'https://example.com' }, 'href="https://example.com"'],
  ['<a href="mailto:{{x}}">x</a>', { x: 'ada@example.com' }, 'href="mailto:ada@example.com"'],
  ['<p style="color:{{x}}">x</p>', { x: '#112233' }, 'style="color:#112233"'],
])('renders %s with %j', (html, values, expected) => {
  expect(render('EMAIL', toContent(html), values).html).toContain(expected)
})

test('a template that was stored before a rule is sent without what the rule forbids', () => {
  const html = '<style>p{}</style><p onclick="x" title="{{x}}">{{x}}</p>'
  expect(render('EMAIL', toContent(html), { x: 'Ada' }).html).toBe('<p title="Ada">Ada</p>')
})

test.each([
  ['<br>'.repeat(2_001), 'must have at most 2000 tags'],
  ['{{x}}'.repeat(1_001), 'must use variables at most 1000 times'],
])('rejects HTML that costs too much to check', (html, reason) => {
  expect(reasonAgainst(html)).toBe(reason)
})

test('values that make the HTML too long are rejected before it is parsed', () => {
  const content = toContent('<b>{{x}}</b>'.repeat(1_000))
  const startedAt = performance.now()
  expect(() => render('EMAIL', content, { x: '<'.repeat(1_000) })).toThrow('invalid_request')
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})

test('HTML that the sanitizer makes too long is rejected', () => {
  expect(() => render('EMAIL', toContent(`<p>${'&'.repeat(60_000)}</p>`), {})).toThrow('invalid_request')
})

test.each([
  ...['<', '<a ', '<a "', "<a '", '<a href', '<!--', '<style', '{{', '{{a', '&#', '<p title="{{x}}" ', '<a a=a '],
  ...[
    '<a href="https://x">',
    '<b>x',
    '<p style="color:red">',
    '<p style="',
    'color:red;',
    '{{x}}',
    '</p>',
    '<table><td>',
  ],
])('decides in time about 64 KiB of %s', (part) => {
  const html = part.repeat(Math.floor(65_536 / part.length))
  const startedAt = performance.now()
  reasonAgainst(html)
  sanitize(html)
  readPlaceholders(html)
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})

describe('the link of a payer', () => {
  test.each([
    '<a href="{{payment_url}}">Pay</a>',
    '<a href=" {{ payment_url }} ">Pay</a>',
    '<p title="{{payment_url}}">{{payment_url}}</p>',
  ])('is an address by itself, or text: %s', (html) => {
    expect(reasonAgainst(html)).toBeNull()
  })

  test.each([
    '<img src="https://example.com/?u={{payment_url}}">',
    '<img src="https://example.com/ {{payment_url}}">',
    '<img src="{{payment_url}}">',
    '<a href="https://example.com/{{payment_url}}">x</a>',
    '<a href="https:&#47;&#47;example.com?{{ payment_url }}">x</a>',
    '<a href="{{payment_url}}{{payer_name}}{{payment_url}}">x</a><img src="cid:{{payment_url}}">',
  ])('is no part of another address: %s', (html) => {
    expect(reasonAgainst(html)).toContain('must use payment_url as the whole "href" of <a>')
  })

  test.each([
    ['https://example.com/?u={{payment_url}}', true],
    ['mailto:a@example.com,{{ payment_url }}', true],
    ['{{reference}}{{payment_url}}', true],
    ['Pay {{amount}}: {{payment_url}}', false],
    ['Link:{{payment_url}}.', false],
    ['https://example.com/ {{payment_url}}', false],
  ])('in a text: %s', (text, isInAddress) => {
    expect(hasLinkInAddress(text)).toBe(isInAddress)
  })
})

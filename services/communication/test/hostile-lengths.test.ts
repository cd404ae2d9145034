import { expect, test } from '@jest/globals'
import { slowness } from '@payments/testing/runner/held-time'
import { countAttributes } from '../src/domain/html-attributes.ts'
import { checkedHtml, reasonAgainst, sanitize } from '../src/domain/message-html.ts'
import { render } from '../src/domain/render.ts'
import { requireUsableContent } from '../src/domain/template-rules.ts'

/** CPU time of a fast run, so that other processes of the machine do not count. */
function cpuMs(work: () => void): number {
  const times = Array.from({ length: 4 }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.min(...times)
}

const bytesMax = 65_000
/** Of one turn of the event loop, on an idle core (docs/isolation.md). */
const holdMsMax = 25
const fillUp = (part: string, bytes: number) => part.repeat(Math.max(1, Math.floor(bytes / part.length)))
/** Each begins one hostile text, and repeats its second part to the wanted length. */
const hostileTexts: readonly (readonly [string, string])[] = [
  ['', '<b style="color:red;margin:0 1px 2px;padding:1px">'],
  ['', '<b style="color:{{x}}">{{x}}</b>'],
  ['', '<b>xxxxxxxxxxxxxxxxxxxxxxx'],
  ['', '<b>'],
  ['', '<p>'],
  ['', '<table><tr><td>'],
  ['', '<b class="a" title="b" id="c" lang="d">x</b>'],
  ['', '<a href="https://example.com/a">x</a>'],
  ['', '<a href="java&#115;cript:x">x</a>'],
  ['<b ', 'a '],
  ['<b ', 'a="" '],
  ['<b title="', 'x'],
  ['<b title="', '&#x41;'],
  ['<b style="', 'color:red;'],
  ['<b style="', ';'],
  ['<b style="color:', 'rgb(1)'],
  ['<b style="color:', `"'`],
  ['<a href="https://', 'a.'],
  ['', '&amp;'],
  ['', '&'],
  ['', '>'],
  ['', '<!--'],
  ['', '{{'],
  ['', '{{x}}'],
  ['', '{{{x}}}'],
  ['', 'x'],
  ['', '\u0301'],
  ['', '👩‍👩‍👧'],
  ['<b ', '\n'],
  ['', '<script>'],
]
const hostile = hostileTexts.map(([start, part]) => [start, part] as const)
const buildText = (start: string, part: string, bytes: number) => start + fillUp(part, bytes)

/** The work on HTML that was accepted: each in a turn of the process of its own. */
const turns: readonly ((html: string) => unknown)[] = [
  (html) => sanitize(html),
  (html) => checkedHtml(html, html, () => 'a'),
]

test.each(hostile)('64 KiB of %s%s are decided in a bounded time, which grows with their length', (start, part) => {
  const [half, whole] = [bytesMax / 2, bytesMax].map((bytes) => buildText(start, part, bytes)) as [string, string]
  const isBounded = /at most/.test(reasonAgainst(whole) ?? '')
  for (const turn of [reasonAgainst, ...(isBounded ? [] : turns)]) {
    const [halfMs, wholeMs] = [cpuMs(() => turn(half)), cpuMs(() => turn(whole))]
    expect(wholeMs).toBeLessThan(holdMsMax * slowness())
    // A shorter time is mostly that of other work on the machine.
    expect(wholeMs).toBeLessThanOrEqual(3 * Math.max(halfMs, 8))
  }
})

test('a template is checked in the time of a few runs of the sanitizer', () => {
  const html = fillUp('<b title="a" class="{{x}}" onclick="{{x}}">x</b>', 24_000)
  expect(cpuMs(() => reasonAgainst(html)) / cpuMs(() => sanitize(html))).toBeLessThan(7)
})

test('values that make a part too long are rejected before it is rendered', () => {
  const content = {
    name: 'x',
    locale: null,
    subject: 'x',
    text: fillUp('{{x}}', 64_000),
    html: null,
    variables: [{ name: 'x', required: true, description: '' }],
  }
  requireUsableContent('EMAIL', content)
  const rendering = () => render('EMAIL', content, { x: 'y'.repeat(1_000) })
  expect(rendering).toThrow('invalid_request')
  expect(cpuMs(() => expect(rendering).toThrow())).toBeLessThan(60)
})

test.each([
  ['<p>', 0],
  ['<p a b=c d="e f" g=\'h "\'/i>text = more words', 5],
  [`<p a="x"b='y'c>`, 3],
  ['<p a = "x y" >', 1],
  ['no tag at all', 0],
])('counts the attributes of %s', (html, count) => {
  expect(countAttributes(html).count).toBe(count)
})

test('rejects HTML with more attributes than an honest mail has', () => {
  expect(reasonAgainst(`<b ${fillUp('a ', 20_000)}>`)).toBe('must have at most 4000 attributes')
  expect(reasonAgainst(`<b>${fillUp('<b a b c>', 9_000)}<b ${fillUp('a ', 102)}>`)).toBe(
    'must have at most 50 attributes in a tag',
  )
  expect(reasonAgainst(`<b class="x">${fillUp('<b id="a" class="c">', 9_000)}`)).toBeNull()
})

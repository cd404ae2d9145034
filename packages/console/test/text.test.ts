import { expect, test } from '@jest/globals'
import { returnTo } from '../src/session/return-to.ts'
import { foreign } from '../src/text/foreign.ts'
import { clock, counted, instantOf, localOf, relative } from '../src/text/format.ts'

test.each([
  ['plain text, with ümlauts, 日本語 and 🙂', 'plain text, with ümlauts, 日本語 and 🙂'],
  ['two\nlines\tand a tab', 'two\nlines\tand a tab'],
  ['user\u202egnp.exe', 'user\\u202egnp.exe'],
  ['zero\u200bwidth\u2066isolate', 'zero\\u200bwidth\\u2066isolate'],
  ['\u0000\u001b[31m', '\\u0000\\u001b[31m'],
])('%j is shown as %j', (text, shown) => {
  expect(foreign(text)).toBe(shown)
})

const form = /^\/console(?:\/[\w\-./?=&%]*)?$/

test.each([
  ['/console/keys', '', '/console/keys'],
  ['/console/keys', '?name=shop%20backend&enabled=true', '/console/keys?name=shop%20backend&enabled=true'],
  ['/console/audit', "?q=a'(b)~!*", '/console/audit?q=a%27%28b%29%7e%21%2a'],
  ['/console/keys', `?name=${'x'.repeat(600)}`, '/console/keys'],
  ['/console/ä', '', '/console'],
])('%s%s is returned to as %s', (pathname, search, expected) => {
  const page = returnTo({ pathname, search })
  expect(page).toBe(expected)
  expect(page).toMatch(form)
})

test('times are shown in the largest unit that they reach', () => {
  const now = new Date('2026-11-26T12:00:00Z')
  const at = (iso: string) => relative(new Date(iso), now)
  expect([at('2026-11-26T11:59:30Z'), at('2026-11-26T11:57:00Z'), at('2026-11-28T13:00:00Z')]).toEqual([
    'now',
    '3 minutes ago',
    'in 2 days',
  ])
  expect([counted(1, 'key'), counted(2, 'key'), counted(1_200, 'delivery', 'deliveries')]).toEqual([
    '1 key',
    '2 keys',
    '1,200 deliveries',
  ])
})

test('an instant is edited in the zone of the reader, to the minute, and an incomplete one is empty', () => {
  expect(instantOf(localOf('2026-11-26T12:41:09.000Z'))).toBe('2026-11-26T12:41:00.000Z')
  expect(localOf('2026-11-26T12:41:09.000Z')).toMatch(/^2026-11-2[567]T\d\d:\d1$/)
  expect([localOf(''), localOf('yesterday'), instantOf('')]).toEqual(['', '', ''])
  expect(clock(new Date('2026-11-26T12:41:09Z'))).toMatch(/^\d\d:\d\d:09$/)
})

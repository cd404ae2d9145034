import { expect, test } from '@jest/globals'
import { readLimits } from '../src/pages/plan/rate-limits.ts'
import { returnTo } from '../src/session/sign-in.ts'
import {
  absolute,
  clock,
  foreign,
  formatDuration,
  formatQuantity,
  monthName,
  monthsBack,
  nameProgram,
  readable,
  readHost,
  relative,
} from '../src/text/format.ts'
import { toInstant, toLocalTime } from '../src/text/local-time.ts'

test.each([
  ['plain text, with ümlauts, 日本語 and 🙂', 'plain text, with ümlauts, 日本語 and 🙂'],
  ['two\nlines\tand a tab', 'two\nlines\tand a tab'],
  ['user\u202egnp.exe', 'user\\u202egnp.exe'],
  ['zero\u200bwidth\u2066isolate', 'zero\\u200bwidth\\u2066isolate'],
  ['\u0000\u001b[31m', '\\u0000\\u001b[31m'],
  ['👩\u200d👩\u200d👧 Shop', '👩\u200d👩\u200d👧 Shop'],
  ['👩🏽\u200d🚀 🏳\ufe0f\u200d🌈 ☕\ufe0f', '👩🏽\u200d🚀 🏳\ufe0f\u200d🌈 ☕\ufe0f'],
  ['کتاب\u200cفروشی', 'کتاب\u200cفروشی'],
  ['क्\u200dष', 'क्\u200dष'],
  ['র\u200d্যাম', 'র\u200d্যাম'],
  ['pay\u200cpal\u200d', 'pay\\u200cpal\\u200d'],
  ['x\u0301\u200dy', 'x\u0301\\u200dy'],
  ['क्\u200d\u200dष 👩\u200d\u200d👩 \u200d👩', 'क्\\u200d\\u200dष 👩\\u200d\\u200d👩 \\u200d👩'],
  ['👩\u200d', '👩\\u200d'],
])('%j is shown as %j', (text, shown) => {
  expect(foreign(text)).toBe(shown)
})

test('a long text takes a time that grows with its length alone', () => {
  for (const part of ['\u200d', '👩\u200d', '👩\ufe0f\u200d', 'क्\u200d', '\u0301\u200c']) {
    const text = part.repeat(200_000)
    const before = process.cpuUsage()
    expect(foreign(text).replaceAll('\\u200d', '\u200d').replaceAll('\\u200c', '\u200c')).toBe(text)
    // Quadratic time is minutes.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000)
  }
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
  const instants = ['2026-11-26T11:59:30Z', '2026-11-26T11:57:00Z', '2026-11-28T13:00:00Z', '2026-12-03T11:59:59Z']
  expect(instants.map(at)).toEqual(['now', '3 minutes ago', 'in 2 days', 'in 7 days'])
  const units = ['2026-11-27T23:00:00Z', '2026-11-24T13:00:00Z', '2026-10-04T00:00:00Z', '2024-12-15T00:00:00Z']
  expect(units.map(at)).toEqual(['in 1 day', '1 day ago', '1 month ago', '1 year ago'])
  expect([formatQuantity(1, 'key'), formatQuantity(2, 'key'), formatQuantity(1_200, 'delivery', 'deliveries')]).toEqual(
    ['1 key', '2 keys', '1,200 deliveries'],
  )
})

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

test.each([
  [chrome, 'Chrome on Linux'],
  [`${chrome.replace('X11; Linux x86_64', 'Windows NT 10.0; Win64; x64')} Edg/156.0.0.0`, 'Edge on Windows'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 15.6; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on macOS'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/18.6 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  ['payments-cli/1.0', 'payments-cli/1.0'],
])('a session of %s is one of %s', (userAgent, shown) => {
  expect(nameProgram(userAgent)).toBe(shown)
})

test('durations are rounded up', () => {
  expect([0.2, 12, 90, 241, 7_201].map(formatDuration)).toEqual([
    '1 second',
    '12 seconds',
    '90 seconds',
    '5 minutes',
    '3 hours',
  ])
})

test('an instant is the same after the input of date and time, to the minute', () => {
  expect(toInstant(toLocalTime('2026-11-26T12:34:56Z'))).toBe('2026-11-26T12:34:00.000Z')
  expect([toLocalTime(null), toLocalTime('yesterday'), toInstant('')]).toEqual(['', '', ''])
})

test.each([
  ['https://hooks.example.com/a', 'hooks.example.com'],
  ['https://hooks.example.com:443', 'hooks.example.com'],
  ['https://hooks.example.com:8443/a', 'hooks.example.com:8443'],
  ['http://hooks.example.com', 'hooks.example.com:80'],
  ['hooks.example.com', undefined],
])('the host of %s is %s', (url, host) => {
  expect(readHost(url)).toBe(host)
})

test('months are those of UTC, the newest first', () => {
  expect(monthsBack(new Date('2026-01-31T23:30:00-05:00'), 3)).toEqual(['2026-02', '2026-01', '2025-12'])
  expect(monthName('2026-01')).toBe('January 2026')
})

test('limits and what is left of them are read from the headers of a response', () => {
  const headers = new Headers({
    'RateLimit-Policy': '"user";q=400;w=2, "tenant";q=500;w=1',
    RateLimit: '"user";r=399;t=1',
  })
  expect(readLimits(headers)).toEqual([
    { name: 'user', quota: 400, seconds: 2, remaining: 399 },
    { name: 'tenant', quota: 500, seconds: 1, remaining: 500 },
  ])
  expect(readLimits(new Headers())).toEqual([])
})

test('the time of day is to the second', () => {
  expect(clock(new Date('2026-11-26T12:41:09Z'))).toMatch(/^\d\d:\d\d:09$/)
})

test('the instants of a reason are in the zone of the reader, and its invisible characters are escapes', () => {
  const instant = '2026-11-27T03:11:32.086Z'
  const shown = absolute(new Date(instant))
  expect(readable(`The receiver\u202e accepted attempt 1 at ${instant}`)).toBe(
    `The receiver\\u202e accepted attempt 1 at ${shown}`,
  )
  expect(readable('Held since 2026-11-27')).toBe('Held since 2026-11-27')
})

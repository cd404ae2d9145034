import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { toInstantOrNull } from '../src/text/local-time.ts'

const file = new URL('../src/text/local-time.ts', import.meta.url).href

/** The instants of a start and of an end in Berlin, by a process of that zone. */
function toInstants(local: string): unknown {
  const script = `import(${JSON.stringify(file)}).then(({ toInstant, toEndInstant }) =>
    console.log(JSON.stringify([toInstant('${local}'), toEndInstant('${local}')])))`
  return JSON.parse(execFileSync(process.execPath, ['-e', script], { env: { TZ: 'Europe/Berlin' }, encoding: 'utf8' }))
}

test('a field without a time is null, and a text that is no time is none', () => {
  expect([toInstantOrNull(''), toInstantOrNull('20266-12-31T10:00')]).toEqual([null, ''])
})

test('a range includes both hours of the end of summer time', () => {
  expect(toInstants('2026-10-25T02:30')).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'])
})

test.each([
  ['2026-10-25T03:30', '2026-10-25T02:30:00.000Z'],
  ['2026-10-25T01:30', '2026-10-24T23:30:00.000Z'],
  ['2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
  ['', ''],
])('any other time is one instant: %s', (local, instant) => {
  expect(toInstants(local)).toEqual([instant, instant])
})

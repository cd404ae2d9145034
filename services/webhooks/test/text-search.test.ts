import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createTextSearch } from '../src/domain/auth-info/text-search.ts'

/** Ends of occurrences with the length of the longest pattern there, and the longest start of a pattern at the end. */
function searchOneByOne(patterns: readonly string[], text: string) {
  const found: [end: number, length: number][] = []
  const longest = (lengths: readonly number[]) => Math.max(0, ...lengths)
  for (let end = 1; end <= text.length; end += 1) {
    const ending = patterns.filter((pattern) => text.slice(0, end).endsWith(pattern))
    if (ending.length > 0) found.push([end, longest(ending.map(({ length }) => length))])
  }
  const starts = patterns.flatMap((pattern) => Array.from(pattern, (_, index) => pattern.slice(0, index + 1)))
  return { found, startLength: longest(starts.filter((start) => text.endsWith(start)).map(({ length }) => length)) }
}

function searchAtOnce(patterns: readonly string[], text: string) {
  const found: [end: number, length: number][] = []
  const startLength = createTextSearch(patterns).search(text, (end, length) => found.push([end, length]))
  return { found, startLength }
}

test('finds what a search for each pattern by itself finds', () => {
  const word = (minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom('a', 'b', '\u00ff', '\u0161'), minLength, maxLength })
  const latin1 = word(1, 6).filter((text) => !text.includes('\u0161'))
  fc.assert(
    fc.property(fc.array(latin1, { maxLength: 8 }), word(0, 40), (patterns, text) => {
      expect(searchAtOnce(patterns, text)).toEqual(searchOneByOne(patterns, text))
    }),
    { numRuns: 500 },
  )
})

test('finds a pattern inside a longer one, and a longer one around it', () => {
  expect(searchAtOnce(['bc', 'abcd', 'c'], 'abcd')).toEqual({
    found: [
      [3, 2],
      [4, 4],
    ],
    startLength: 4,
  })
})

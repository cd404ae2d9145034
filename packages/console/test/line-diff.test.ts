import { expect, test } from '@jest/globals'
import { lineDiff, selectExcerpts } from '../src/text/line-diff.ts'

const signs = { same: ' ', removed: '-', added: '+' } as const
const shown = (before: string, after: string) =>
  lineDiff(before, after).map(({ kind, text }) => `${signs[kind]}${text}`)

test.each([
  ['the same text', 'a\nb', 'a\nb', [' a', ' b']],
  ['an added line', 'a\nc', 'a\nb\nc', [' a', '+b', ' c']],
  ['a removed line', 'a\nb\nc', 'a\nc', [' a', '-b', ' c']],
  ['a replaced line', 'a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
  ['a moved line', 'a\nb\nc', 'b\nc\na', ['-a', ' b', ' c', '+a']],
  ['an empty text before', '', 'a', ['+a']],
  ['a repeated line', 'a\na', 'a\na\na', [' a', ' a', '+a']],
])('%s', (_name, before, after, expected) => {
  expect(shown(before, after)).toEqual(expected)
})

test('gives both texts in every diff', () => {
  const words = ['a', 'b', 'c', '']
  let seed = 7
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % below
  }
  const text = () => Array.from({ length: 1 + next(12) }, () => words[next(words.length)]).join('\n')
  for (let run = 0; run < 300; run++) {
    const [before, after] = [text(), text()]
    const lines = lineDiff(before, after)
    const without = (kind: string) => lines.filter((line) => line.kind !== kind).map((line) => line.text)
    expect(without('added').join('\n')).toBe(before)
    expect(without('removed').join('\n')).toBe(after)
  }
})

test('shows very long texts as replaced, within a moment', () => {
  const before = Array.from({ length: 20_000 }, (_, line) => `before ${line}`).join('\n')
  const after = Array.from({ length: 20_000 }, (_, line) => `after ${line}`).join('\n')
  expect(lineDiff(before, after)).toHaveLength(40_000)
})

test('an excerpt has three lines around each change, and counts the others', () => {
  const lines = Array.from({ length: 30 }, (_, line) => String(line))
  const after = lines.map((line) => (line === '15' ? 'x' : line))
  const parts = selectExcerpts(lineDiff(lines.join('\n'), after.join('\n')))
  expect(parts.map(({ skipped, lines: { length } }) => [skipped, length])).toEqual([
    [12, 8],
    [11, 0],
  ])
  expect(selectExcerpts(lineDiff('a', 'a'))).toEqual([])
})

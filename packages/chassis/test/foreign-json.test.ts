import { expect, test } from '@jest/globals'
import { slowWorks } from '@payments/testing/runner/held-time'
import { parseForeignJson } from '../src/base/foreign-json.ts'

test('leaves out a byte order mark, and null as member and as item', () => {
  const text = '\uFEFF{"a":null,"b":[null,{"c":null,"d":1},[null,0]],"e":"null"}'
  expect(parseForeignJson(text)).toEqual({ b: [{ d: 1 }, [0]], e: 'null' })
  expect(parseForeignJson('null')).toBeNull()
  expect(() => parseForeignJson('<html>')).toThrow(SyntaxError)
})

test.each(['1', 'null', '[]', '{}', '{"a":1}', '[null]', '""'])('reads 256 KiB of %s within 20 ms', async (item) => {
  const list = `[${`${item},`.repeat(262_100 / (item.length + 1))}0]`
  const nested = '['.repeat(131_072) + ']'.repeat(131_072)
  const texts = { 'a list': list, 'the list of a member': `{"keys":${list}}`, 'nested lists': nested }
  const works = Object.entries(texts).map(([what, text]) => [what, async () => parseForeignJson(text)] as const)
  expect(await slowWorks(works)).toEqual([])
})

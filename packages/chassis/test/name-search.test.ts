import { expect, test } from '@jest/globals'
import { longestHoldMs, slowness } from '@payments/testing/runner/held-time'
import { rowsWithPart } from '../src/base/name-search.ts'

const nameRows = (...names: (string | null)[]) => names.map((name) => ({ name }))
const search = (rows: readonly { name: string | null }[], part: string, tenant = 'tenant') =>
  rowsWithPart(tenant, { rows, listTexts: ({ name }) => [name], part })

test('finds a part in any case, compatibility form and form of sigma, in the order of the rows', async () => {
  const rows = nameRows('Straße 1', 'ΟΔΟΣ', null, '１２ strasse', 'other')
  expect(await search(rows, 'STRASSE')).toEqual([rows[0], rows[3]])
  expect(await search(rows, 'οδος')).toEqual([rows[1]])
  expect(await search(rows, '12')).toEqual([rows[3]])
  expect(await search([], 'x')).toEqual([])
})

test.each([['\ufdfa'], ['İ'], ['a'], ['e\u0301']])(
  'a thousand names of %s hold the event loop for no more than 20 ms',
  async (piece) => {
    const rows = nameRows(...Array.from({ length: 1_000 }, () => piece.repeat(199).slice(0, 199)))
    const part = '\ufdfa'.repeat(199)
    const holds = []
    for (let run = 0; run < 4; run += 1) holds.push(await longestHoldMs(() => search(rows, part)))
    expect(Math.min(...holds)).toBeLessThan(20 * slowness())
  },
)

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from '@payments/contracts/grammar/page'
import { searchedRowsMax } from '@payments/contracts/grammar/searched-page'
import { rowsRead } from '@payments/testing/database/rows-read'
import { list } from '../src/store/codes.ts'
import { codesPath, startWorld, type TestTenant, type World } from './world.ts'

/** A filter that no index knows is searched in parts, so that no read holds a connection for long. */
const rowsCount = 2.5 * searchedRowsMax
let world: World
let tenant: TestTenant
let oldestId: string
beforeAll(async () => {
  world = await startWorld()
  tenant = world.tenant()
  oldestId = (await tenant.create({ recipient: 'ada@example.com' })).id
  await world.rows(
    `INSERT INTO codes SELECT r.* FROM codes c, generate_series(1, $2::int) n,
       LATERAL jsonb_populate_record(c, jsonb_build_object('id', (lpad(to_hex(('x' || left(replace(c.id::text, '-', ''), 12))::bit(48)::bigint + n),
         12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, 'status', 'expired', 'transaction_id', gen_random_uuid(),
         'code_hash', '\\x' || encode(sha256(n::text::bytea), 'hex'))) r
     WHERE c.id = $1::uuid`,
    oldestId,
    rowsCount,
  )
  await world.rows('ANALYZE codes')
}, 120_000)
afterAll(() => world.stop())

async function readPages(query: string): Promise<string[][]> {
  const pages: string[][] = []
  let cursor: string | null = ''
  while (cursor !== null && pages.length < 5) {
    const { body }: { body: Page<{ id: string }> } = await tenant
      .get(`${codesPath}?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`)
      .expect(200)
    pages.push(body.data.map(({ id }) => id))
    cursor = body.next_cursor
  }
  return pages
}

test('an old code among many is found on a later page, after pages without items', async () => {
  expect(await readPages('status=active&limit=10')).toEqual([[], [], [oldestId]])
  expect(await readPages('recipient=ada%40example.com&status=active')).toEqual([[], [], [oldestId]])
})

test('a list reads a bounded number of codes', async () => {
  for (const filters of [
    {},
    { status: 'active' },
    { recipient: 'grace@example.com' },
    { businessUnitId: tenant.id },
  ] as const) {
    const read = await world.db.inTenant(tenant.id, (tx) =>
      rowsRead(tx, 'codes', () => list(tx, tenant.id, { before: undefined, limit: 50, filters })),
    )
    expect(read).toBeLessThanOrEqual(2 * searchedRowsMax)
  }
})

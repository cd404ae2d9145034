import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from '@payments/contracts/grammar/page'
import { searchedRowsMax } from '@payments/contracts/grammar/searched-page'
import { rowsRead } from '@payments/testing/database/rows-read'
import * as communications from '../src/store/communications.ts'
import { startWorld, type World } from './world.ts'

/** A filter that no index knows is searched in parts, so that no read holds a connection for long. */
const rowsCount = 2.5 * searchedRowsMax
let world: World
let tenant: ReturnType<World['tenant']>
let oldestId: string
beforeAll(async () => {
  world = await startWorld()
  tenant = world.tenant()
  oldestId = (await tenant.send()).body.id
  await world.rows(
    `INSERT INTO communications SELECT r.* FROM communications c, generate_series(1, $2::int) n,
       LATERAL jsonb_populate_record(c, jsonb_build_object('id', (lpad(to_hex(('x' || left(replace(c.id::text, '-', ''), 12))::bit(48)::bigint + n),
         12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, 'status', 'failed', 'due_at', null, 'content', null,
         'error', '{"code": "x"}'::jsonb)) r
     WHERE c.id = $1::uuid`,
    oldestId,
    rowsCount,
  )
  await world.rows('ANALYZE communications')
}, 120_000)
afterAll(() => world.stop())

test('an old message among many is found on a later page, after pages without items', async () => {
  const pages: string[][] = []
  let cursor: string | null = ''
  while (cursor !== null && pages.length < 5) {
    const query: string = `status=queued&limit=10${cursor === '' ? '' : `&cursor=${cursor}`}`
    const { body }: { body: Page<{ id: string }> } = await tenant
      .get(`/v1/communication/communications?${query}`)
      .expect(200)
    pages.push(body.data.map(({ id }) => id))
    cursor = body.next_cursor
  }
  expect(pages).toEqual([[], [], [oldestId]])
})

test('a list reads a bounded number of messages', async () => {
  const filters = [{}, { status: 'queued' }, { recipient: 'grace@example.com' }, { businessUnitId: tenant.id }] as const
  for (const filter of filters) {
    const all = { businessUnitId: undefined, recipient: undefined, status: undefined, templateId: undefined }
    const query = { before: undefined, limit: 50, ...all, ...filter }
    const read = await world.db.inTenant(tenant.id, (tx) =>
      rowsRead(tx, 'communications', () => communications.list(tx, tenant.id, query)),
    )
    expect(read).toBeLessThanOrEqual(2 * searchedRowsMax)
  }
})

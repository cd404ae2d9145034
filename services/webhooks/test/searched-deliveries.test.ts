import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { searchedRowsMax } from '@payments/contracts/grammar/searched-page'
import type { Delivery } from '@payments/contracts/services/webhooks/delivery'
import { type Subscribed, startWorld, subscribe, type World } from './world.ts'

/** A filter that no index knows is searched in parts, so that no read lasts for seconds, whatever is stored. */
let world: World
let subscribed: Subscribed
const rowsCount = searchedRowsMax + 2_000
beforeAll(async () => {
  world = await startWorld()
  subscribed = await subscribe(world, 'https://receiver.example/hooks')
  const { tenantId, unitId, id } = subscribed
  // The oldest delivery alone got 204.
  await world.db.inTenant(tenantId, (tx) =>
    tx.$executeRawUnsafe(
      `INSERT INTO deliveries (id, tenant_id, subscription_id, business_unit_id, tenant_event_id, event_type, occurred_at,
         trace_id, status, attempt_count, last_status_code, created_at)
       SELECT (lpad(to_hex(ms), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, $1::uuid, $2::uuid, $3::uuid,
         gen_random_uuid(), 'rbac.roles.create', to_timestamp(ms / 1000.0), gen_random_uuid(), 'delivered', 1,
         CASE n WHEN 1 THEN 204 ELSE 200 END, to_timestamp(ms / 1000.0)
       FROM generate_series(1, $4::int) AS n,
         LATERAL (SELECT (extract(epoch FROM now()) * 1000)::bigint - $4::int + n AS ms) AS instant`,
      tenantId,
      id,
      unitId,
      rowsCount,
    ),
  )
}, 300_000)
afterAll(() => world.stop())

async function readPages(path: string): Promise<Delivery[][]> {
  const pages: Delivery[][] = []
  let cursor: string | null = ''
  while (cursor !== null && pages.length < 5) {
    const { body } = await subscribed.tenant.get(`${path}${cursor === '' ? '' : `&cursor=${cursor}`}`)
    pages.push(body.data)
    cursor = body.next_cursor
  }
  return pages
}

const lists = () => ['/v1/webhooks/deliveries', `/v1/webhooks/${subscribed.unitId}/deliveries`]

test('an old delivery among many is found on a later page, after one without items', async () => {
  for (const path of lists()) {
    const pages = await readPages(`${path}?status_code=204&limit=10`)
    expect(pages.map(({ length }) => length)).toEqual([0, 1])
  }
})

test('a search that finds nothing ends', async () => {
  for (const path of lists()) {
    for (const filter of ['status_code=201', 'error_kind=timeout', 'event_type=rbac.roles.delete']) {
      expect((await readPages(`${path}?${filter}`)).flat()).toEqual([])
    }
  }
})

test('pages of a search neither repeat nor leave out a delivery', async () => {
  for (const path of lists()) {
    const { body } = await subscribed.tenant.get(`${path}?status_code=200&limit=200`)
    expect([body.data.length, typeof body.next_cursor]).toEqual([200, 'string'])
    const next = await subscribed.tenant.get(`${path}?status_code=200&limit=200&cursor=${body.next_cursor}`)
    expect(new Set([...body.data, ...next.body.data].map(({ id }: Delivery) => id)).size).toBe(400)
    const before = body.data[199].created_at
    expect(Date.parse(next.body.data[0].created_at)).toBe(Date.parse(before) - 1)
  }
})

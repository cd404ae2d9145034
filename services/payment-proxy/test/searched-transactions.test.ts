import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { searchedRowsMax } from '@payments/contracts/grammar/searched-page'
import { rowsRead } from '@payments/testing/database/rows-read'
import { searchTransactions, type TransactionFilter } from '../src/store/transaction-search.ts'
import { startWorld, type TestTenant, type World } from './world.ts'

/** No list reads more than a part of the transactions of a tenant, with any filter, beside another large tenant. */
const rowsCount = 2.5 * searchedRowsMax
const otherUnit = randomUUID()
let world: World
let tenant: TestTenant
let oldest: string

beforeAll(async () => {
  world = await startWorld()
  tenant = world.tenant()
  const other = world.tenant()
  // The oldest transaction alone failed, has the amount 7 and another unit.
  for (const { id, businessUnitId, paymentOrchestratorId } of [tenant, other]) {
    await world.rows(
      `INSERT INTO transactions (id, tenant_id, business_unit_id, payment_orchestrator_id, external_reference, currency,
         amount, status, capture, items, metadata, version, created_at, updated_at)
       SELECT (lpad(to_hex(ms), 12, '0') || '7000' || '8' || substr(md5(n || $1), 1, 15))::uuid, $1::uuid,
         CASE n WHEN 1 THEN $4::uuid ELSE $2::uuid END, $3::uuid, CASE n WHEN 1 THEN 'first' ELSE 'order-' || n END, 'EUR',
         CASE n WHEN 1 THEN 7 ELSE 500 + n % 5 END, (CASE n WHEN 1 THEN 'failed' ELSE 'captured' END)::"TransactionStatus",
         true, '[]', '{}', 1, to_timestamp(ms / 1000.0), to_timestamp(ms / 1000.0)
       FROM generate_series(1, $5::int) AS n,
         LATERAL (SELECT (extract(epoch FROM now()) * 1000)::bigint - 10000000 + n * 300 AS ms) AS instant`,
      id,
      businessUnitId,
      paymentOrchestratorId,
      otherUnit,
      rowsCount,
    )
  }
  await world.rows('ANALYZE transactions')
  const [row] = await world.rows<{ id: string }>(
    `SELECT id FROM transactions WHERE tenant_id = $1::uuid ORDER BY id LIMIT 1`,
    tenant.id,
  )
  oldest = row?.id ?? ''
}, 120_000)
afterAll(() => world.stop())

interface Shown {
  readonly id: string
}

async function readPages(query: string): Promise<string[][]> {
  const pages: string[][] = []
  let cursor: string | null = ''
  while (cursor !== null && pages.length < 5) {
    const { body } = await tenant.list(`?limit=10&${query}${cursor === '' ? '' : `&cursor=${cursor}`}`)
    pages.push(body.data.map(({ id }: Shown) => id))
    cursor = body.next_cursor
  }
  return pages
}

test('an old transaction among many is found at once by a filter that few meet', async () => {
  for (const query of ['status=failed', 'amount_max=7', 'search=fir', `search=${oldest}`, 'external_reference=first']) {
    expect([query, await readPages(query)]).toEqual([query, [[oldest]]])
    expect([query, await readPages(`${query}&business_unit_id=${otherUnit}`)]).toEqual([query, [[oldest]]])
  }
  expect(await readPages(`business_unit_id=${otherUnit}`)).toEqual([[oldest]])
})

test('an old transaction among many is found on a later page by filters that together few meet', async () => {
  const { businessUnitId } = tenant
  const created = (await tenant.list(`?search=${oldest}`)).body.data[0].created_at
  const window = `created_before=${new Date(Date.parse(created) + 1).toISOString()}`
  const orchestrator = `payment_orchestrator_id=${tenant.paymentOrchestratorId}`
  expect(await readPages(`${orchestrator}&business_unit_id=${otherUnit}`)).toEqual([[], [], [oldest]])
  expect((await readPages(`${orchestrator}&${window}`)).flat()).toEqual([oldest])
  expect(
    (await readPages(`amount_min=500&amount_max=501&status=failed&business_unit_id=${businessUnitId}`)).flat(),
  ).toEqual([])
})

test('pages of a search neither repeat nor leave out a transaction', async () => {
  const ids: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body } = await tenant.list(`?limit=200&amount_min=504${cursor === '' ? '' : `&cursor=${cursor}`}`)
    ids.push(...body.data.map(({ id }: Shown) => id))
    cursor = body.next_cursor
  }
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toHaveLength(Math.floor((rowsCount + 1) / 5))
})

/** One filter of each kind, many and few, and pairs of them. */
const filters: readonly Partial<TransactionFilter>[] = [
  {},
  { status: 'failed' },
  { status: 'captured' },
  { amountMin: 505 },
  { amountMin: 500 },
  { amountMax: 10 },
  { search: 'order-' },
  { search: 'first' },
  { search: '0' },
  { search: 'zzz' },
  { externalReference: 'order-10' },
  { pendingState: 'unknown' },
  { businessUnitId: otherUnit },
  { createdBefore: new Date(0) },
  { createdAfter: new Date(0), createdBefore: new Date() },
]

test('a list reads a bounded number of transactions with any two filters', async () => {
  const unset = {
    ...{ status: undefined, pendingState: undefined, search: undefined, businessUnitId: undefined, before: undefined },
    ...{ externalReference: undefined, createdAfter: undefined, createdBefore: undefined, amountMin: undefined },
    ...{ amountMax: undefined, paymentOrchestratorId: undefined, limit: 50 },
  }
  const unbounded: object[] = []
  for (const first of filters) {
    for (const second of filters) {
      const filter = { ...unset, ...first, ...second }
      const read = await world.db.inTenant(tenant.id, (tx) =>
        rowsRead(tx, 'transactions', () => searchTransactions(tx, tenant.id, filter, new Date())),
      )
      // The page, the end of the search, and a few rows of each filter.
      if (read > 2 * searchedRowsMax + 3_003) unbounded.push({ ...first, ...second, read })
    }
  }
  expect(unbounded).toEqual([])
})

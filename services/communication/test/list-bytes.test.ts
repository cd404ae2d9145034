import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { partOfList } from '@payments/chassis/database/list-part'
import { builtInTemplates } from '../src/domain/built-in-templates.ts'
import { startWorld, type World } from './world.ts'

/** Pages of large items: bounded in bytes, and complete with the next pages. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const path = '/v1/communication/templates'
const bytesMax = 1.5 * 1024 * 1024
const large = { text: '漢'.repeat(21_000), html: `<p>${'x'.repeat(60_000)}</p>` }

type Read = (path: string) => Promise<{ data: { id?: string; version?: number }[]; next_cursor: string | null }>

/** The items of each page of a list, of which each is bounded. */
async function readPages(read: Read, of: string) {
  const pages: { id?: string; version?: number }[][] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const body = await read(`${of}?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`)
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(bytesMax)
    pages.push(body.data)
    cursor = body.next_cursor
  }
  return pages
}

const readAs =
  (tenant: ReturnType<World['tenant']>): Read =>
  async (of) =>
    (await tenant.get(of).expect(200)).body

test('templates: each page has bounded bytes, and the pages have every template, the built-in ones last', async () => {
  const tenant = world.tenant()
  const ids: string[] = []
  for (let i = 0; i < 20; i += 1) ids.unshift((await tenant.template(large)).body.id)
  const pages = await readPages(readAs(tenant), path)
  expect(pages.length).toBeGreaterThan(2)
  const found = pages.flat().map(({ id }) => id)
  expect(found.slice(0, 20)).toEqual(ids)
  expect(found).toHaveLength(20 + builtInTemplates.length)
})

test('versions of a template: each page has bounded bytes, and the pages have every version', async () => {
  const tenant = world.tenant()
  const { id } = (await tenant.template(large)).body
  for (let i = 0; i < 19; i += 1) await tenant.patch(`${path}/${id}`, { name: `Version ${i}` }).expect(200)
  const pages = await readPages(readAs(tenant), `${path}/${id}/versions`)
  expect(pages.length).toBeGreaterThan(2)
  expect(pages.flat().map(({ version }) => version)).toEqual(Array.from({ length: 20 }, (_, i) => 20 - i))
})

test('messages of the outbox and of a payer: each page has bounded bytes, and the pages have every message', async () => {
  const tenant = world.tenant()
  const text = '漢'.repeat(21_000)
  const ids: string[] = []
  for (let i = 0; i < 40; i += 1) ids.push((await tenant.send({ text }).expect(202)).body.id)
  const recipient = 'payer@example.com'
  const exported: string[][] = []
  let after: string | null = null
  do {
    const body: object = { recipient, after, limit: 200 }
    const page: { body: { data: { id: string }[]; next_after: string | null } } = await world.asOperator
      .post(`/internal/tenants/${tenant.id}/payers/export`, body)
      .expect(200)
    exported.push(page.body.data.map((one) => one.id))
    after = page.body.next_after
  } while (after !== null)
  expect(exported.length).toBeGreaterThan(1)
  expect(exported.flat()).toEqual(ids)
  await world.rows(
    `INSERT INTO outbox_messages (id, tenant_id, business_unit_id, communication_type, recipient, content)
     SELECT id, tenant_id, business_unit_id, communication_type, recipient, content FROM communications
     WHERE tenant_id = $1::uuid`,
    tenant.id,
  )
  const pages = await readPages(readAs(tenant), '/v1/communication/outbox')
  expect(pages.length).toBeGreaterThan(1)
  expect(pages.flat().map(({ id }) => id)).toEqual(ids.toReversed())
})

test('of the rows behind a page, the size of one is read', async () => {
  const tenant = world.tenant()
  const ids: string[] = []
  for (let i = 0; i < 6; i += 1) ids.unshift((await tenant.template({ text: 'short' })).body.id)
  await world.rows('CREATE SEQUENCE sizes_read')
  const of = { table: 'templates', bytes: `400000 + 0 * nextval('sizes_read')` }
  const tx = { $queryRawUnsafe: world.rows } as never
  const part = await partOfList(tx, tenant.id, { of, ids, limit: 200 }, async (keys) => keys)
  expect(part).toEqual({ rows: ids.slice(0, 2), continuesAfter: ids[1] })
  expect(await world.rows('SELECT last_value::int AS count FROM sizes_read')).toEqual([{ count: 3 }])
  const [first = ''] = ids
  const tooLarge = { table: 'templates', bytes: '4000000' }
  const one = await partOfList(tx, tenant.id, { of: tooLarge, ids, limit: 200 }, async (keys) => keys)
  expect(one).toEqual({ rows: [first], continuesAfter: first })
  const all = await partOfList(
    tx,
    tenant.id,
    { of: { table: 'templates', bytes: '1' }, ids, limit: 5 },
    async (keys) => keys,
  )
  expect(all).toEqual({ rows: ids.slice(0, 5), continuesAfter: ids[4] })
})

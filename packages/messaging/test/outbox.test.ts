import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from '@jest/globals'
import sql, { raw } from 'sql-template-tag'
import { type EventRow, insertEvent } from '../src/outbox/event-row.ts'
import { emit, eventRow, outboxModel } from '../src/outbox/outbox.ts'
import { businessUnitId, createCleanup, definitions, outboxTable, tenantId } from './world.ts'

const cleanup = createCleanup()
afterEach(() => cleanup.run())

const good = { type: 'shop.things.create', tenantId, businessUnitId, traceId: randomUUID(), payload: { n: 1 } } as const

test('writes one row and returns its id, a UUID v7', async () => {
  const table = await outboxTable(cleanup)
  const id = await table.transaction((tx) => emit(tx, definitions, good))
  const { rows } = await table.pool.query('SELECT * FROM outbox_events')
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  expect(rows).toMatchObject([
    {
      id,
      type: good.type,
      tenant_id: tenantId,
      business_unit_id: businessUnitId,
      payload: { n: 1 },
      leased_until: null,
    },
  ])
})

test.each([
  ['an undefined type', { ...good, type: 'shop.things.destroy' }],
  ['a type that is a name of every object', { ...good, type: 'constructor' }],
  ['a payload of another shape', { ...good, payload: { n: 'one' } }],
  ['a payload with a field that is not defined', { ...good, payload: { n: 1, secret: 'x' } }],
  ['no business unit where the event has one', { ...good, businessUnitId: null }],
  ['a business unit where the event is the tenant’s', { ...good, type: 'shop.rules.update' }],
  ['a payload over 1 MiB', { ...good, payload: { n: 1, note: 'x'.repeat(1024 * 1024) } }],
])('throws on %s, and rolls the transaction back', async (_what, bad) => {
  const table = await outboxTable(cleanup)
  const attempt = table.transaction(async (tx) => {
    await emit(tx, definitions, good)
    await emit(tx, definitions, bad as typeof good)
  })
  await expect(attempt).rejects.toThrow()
  expect(await table.rows()).toBe(0)
})

const insertsIf = (condition: string, event: EventRow) => sql`
  WITH created AS (SELECT ${'thing'}::text AS name WHERE ${raw(condition)}), event AS (${insertEvent(event, raw('created'))})
  SELECT created.name, event.lease, event.occurred_at FROM created, event`

test('a larger statement inserts an event together with the rows that it is about', async () => {
  const table = await outboxTable(cleanup)
  const event = eventRow(undefined, definitions, good)
  const { text, values } = insertsIf('true', event)
  const { rows } = await table.pool.query(text, values)
  const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(rows).toEqual([{ name: 'thing', lease: null, occurred_at: iso }])
  const stored = await table.pool.query('SELECT id, payload, leased_until FROM outbox_events')
  expect(stored.rows).toEqual([{ id: event.id, payload: { n: 1 }, leased_until: null }])
})

test('a larger statement inserts no event without the rows that it is about', async () => {
  const table = await outboxTable(cleanup)
  const event = eventRow(undefined, definitions, good)
  const { text, values } = insertsIf('false', event)
  const { rows } = await table.pool.query(text, values)
  expect(rows).toEqual([])
  expect(await table.rows()).toBe(0)
})

test('the README contains the model that each service must have', () => {
  expect(readFileSync(new URL('../README.md', import.meta.url), 'utf8')).toContain(outboxModel)
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { retainRecords } from '../src/verbs/retain-records.ts'
import { createRecord, startWorld, type World } from './world.ts'

let world: World
let tenantId: string
beforeAll(async () => {
  world = await startWorld()
})
beforeEach(() => {
  tenantId = randomUUID()
})
afterAll(() => world.stop())

const path = '/v1/audit/statistics'
const period = `${path}?from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z`
const at = (time: string, fields: Parameters<typeof createRecord>[1] = {}) =>
  createRecord(tenantId, { occurred_at: `2026-03-${time}.000Z`, ...fields })
const denied = { outcome: 'denied', status: 403, code: 'permission_denied' } as const
const failed = { outcome: 'error', status: 503, code: 'service_unavailable' } as const
const none = { success: 0, denied: 0, rejected: 0, error: 0 }
const read = async (url: string) => (await world.asTenant(tenantId).get(url)).body

interface Row {
  readonly starts_at: string
}
const rowAt = ({ intervals }: { intervals: Row[] }, time: string) =>
  intervals.find(({ starts_at }) => starts_at === `2026-03-${time}.000Z`)

describe('readAuditStatistics', () => {
  test('counts the sealed requests of each hour by outcome, and the most frequent codes', async () => {
    await world.store([at('01T09:00:00'), at('01T09:59:59'), at('01T10:00:00', denied), at('01T10:30:00', denied)])
    await world.store([at('01T10:31:00', failed), at('02T00:00:00')])
    await world.seal()
    const body = await read(period)
    expect([body.from, body.to, body.interval]).toEqual([
      '2026-03-01T00:00:00.000Z',
      '2026-03-02T00:00:00.000Z',
      'hour',
    ])
    expect(body.intervals).toHaveLength(24)
    expect(rowAt(body, '01T09:00:00')).toEqual({ starts_at: '2026-03-01T09:00:00.000Z', ...none, success: 2 })
    expect(rowAt(body, '01T10:00:00')).toMatchObject({ ...none, denied: 2, error: 1 })
    expect(body.codes).toEqual([
      { code: 'permission_denied', outcome: 'denied', requests: 2 },
      { code: 'service_unavailable', outcome: 'error', requests: 1 },
    ])
  })

  test('counts each request once: those of a folded record, those that arrive late, and while ten processes seal', async () => {
    await world.store([at('01T09:00:00', { count: 40 })])
    await world.seal()
    await world.store([at('01T09:10:00'), at('01T09:20:00')])
    await Promise.all(Array.from({ length: 10 }, () => world.seal()))
    await world.seal()
    expect(rowAt(await read(period), '01T09:00:00')).toMatchObject({ success: 42 })
  })

  test('counts nothing of a range that cannot be sealed', async () => {
    await world.store([at('01T09:00:00'), at('01T09:10:00')])
    await world.tamper('DELETE FROM audit_records WHERE tenant_id = $1 AND position = 1', tenantId)
    await world.seal()
    expect(rowAt(await read(period), '01T09:00:00')).toMatchObject(none)
  })

  test('counts by day in a period of more than seven days, and replies with at most 200 rows', async () => {
    await world.store([at('01T09:00:00'), at('01T23:59:59'), at('20T00:00:00', denied)])
    await world.seal()
    const days = await read(`${path}?from=2026-03-01T05:00:00Z&to=2026-03-31T05:00:00Z`)
    expect([days.interval, days.intervals.length]).toEqual(['day', 31])
    expect([rowAt(days, '01T00:00:00'), rowAt(days, '20T00:00:00')]).toMatchObject([{ success: 2 }, { denied: 1 }])
    const week = await read(`${path}?from=2026-03-01T05:30:00Z&to=2026-03-08T05:30:00Z`)
    expect([week.interval, week.intervals.length]).toEqual(['hour', 169])
  })

  test('selects the requests of a client, or those without one', async () => {
    await world.store([
      at('01T09:00:00'),
      at('01T09:00:00', { client: 'console' }),
      at('01T09:00:00', { client: 'cli' }),
    ])
    await world.seal()
    const successes = async (client: string) => rowAt(await read(`${period}&client=${client}`), '01T09:00:00')
    expect([await successes('none'), await successes('console'), await successes('none,cli')]).toMatchObject([
      { success: 1 },
      { success: 1 },
      { success: 2 },
    ])
  })

  test('counts the codes of an hour beyond thirty as other, and shows twenty', async () => {
    const codes = Array.from({ length: 60 }, (_, index) => `code_${String(index).padStart(2, '0')}`)
    await world.store(codes.map((code) => at('01T09:00:00', { ...denied, code })))
    await world.seal()
    await world.store([at('01T09:00:00', { ...denied, code: 'another' })])
    await world.seal()
    const body = await read(period)
    expect(body.codes).toHaveLength(20)
    expect(body.codes[0]).toEqual({ code: 'other', outcome: 'denied', requests: 31 })
    expect(rowAt(body, '01T09:00:00')).toMatchObject({ denied: 61 })
  })

  test('shows the last 24 hours by default, the current hour included', async () => {
    await world.store([createRecord(tenantId)])
    await world.seal()
    const { intervals } = await read(path)
    expect([intervals.length, intervals.at(-1).success]).toEqual([24, 1])
  })

  test('counts nothing of another tenant', async () => {
    await world.store([createRecord(randomUUID()), createRecord(null)])
    await world.seal()
    const { intervals, codes } = await read(path)
    expect([intervals.every((row: { success: number }) => row.success === 0), codes]).toEqual([true, []])
  })

  test.each([
    ['from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', '/query/from'],
    ['from=2026-03-01T00:00:00Z&to=2026-04-02T00:00:00Z', '/query/from'],
    ['from=2026-03-01T00:00:00Z&to=2026-03-01T00:00:00Z', '/query/from'],
    ['to=9999-12-31T23:59:59.9Z', '/query/to'],
    ['from=9999-12-01T00:00:00Z&to=9999-12-31T01:00:00Z', '/query/to'],
    ['to=tomorrow', '/query/to'],
    ['client=curl', '/query/client'],
  ])('rejects %s and names the parameter', async (query, pointer) => {
    const reply = await world.asTenant(tenantId).get(`${path}?${query}`)
    expect([reply.status, reply.body.errors?.[0].pointer]).toEqual([400, pointer])
  })

  test('deletes counts after 25 months', async () => {
    await world.store([createRecord(tenantId)])
    await world.seal()
    await world.owner.query(
      `INSERT INTO audit_statistics VALUES ($1, now() - interval '762 days', 'success', 'none', '', 1)`,
      [tenantId],
    )
    await retainRecords(world.deps)
    const { rows } = await world.owner.query('SELECT requests::int FROM audit_statistics WHERE tenant_id = $1', [
      tenantId,
    ])
    expect(rows).toEqual([{ requests: 1 }])
  })
})

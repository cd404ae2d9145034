import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createRecord, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const path = '/v1/audit/usage'

describe('readAuditUsage', () => {
  test('counts the requests of a month, of every client and outcome, and of the tenant only', async () => {
    const tenantId = randomUUID()
    const at = (occurred_at: string, fields = {}) => createRecord(tenantId, { occurred_at, ...fields })
    await world.store([at('2026-02-28T23:59:59.999Z'), at('2026-03-01T00:00:00.000Z', { count: 3 })])
    await world.store([at('2026-03-31T23:59:59.999Z', { client: 'console' }), createRecord(randomUUID())])
    await world.store([at('2026-03-15T00:00:00.000Z', { outcome: 'denied', status: 403, code: 'permission_denied' })])
    await world.seal()
    const reply = await world.asTenant(tenantId).get(`${path}?month=2026-03`)
    expect([reply.status, reply.body]).toEqual([200, { month: '2026-03', requests: 5 }])
  })

  test('counts the current month by default', async () => {
    const tenantId = randomUUID()
    await world.store([createRecord(tenantId)])
    await world.seal()
    const { body } = await world.asTenant(tenantId).get(path)
    expect(body).toEqual({ month: new Date().toISOString().slice(0, 7), requests: 1 })
  })

  test.each(['2026-13', '2026-1', '1999-12', 'March'])('rejects the month %s', async (month) => {
    const reply = await world.asTenant(randomUUID()).get(`${path}?month=${month}`)
    expect([reply.status, reply.body.errors?.[0].pointer]).toEqual([400, '/query/month'])
  })
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { testPool } from '@payments/testing/database/database'
import { openDatabase } from '../src/store/database.ts'
import { inspectRecords } from '../src/verbs/read-records.ts'
import { createRecord, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('inspectRecords', () => {
  test('shows an operator only the records without a tenant', async () => {
    const [withoutTenant, ofTenant] = [createRecord(null), createRecord(randomUUID())]
    await world.store([withoutTenant, ofTenant])
    const reply = await world.asOperator.get('/internal/chains/none/records?limit=200')
    const ids = reply.body.data.map(({ id }: { id: string }) => id)
    expect(ids).toContain(withoutTenant.id)
    expect(ids).not.toContain(ofTenant.id)
    expect(reply.body.data[0].tenant_id).toBeNull()
  })

  test('shows an operator the records of one tenant', async () => {
    const tenantId = randomUUID()
    const written = createRecord(tenantId)
    await world.store([written])
    const reply = await world.asOperator.get(`/internal/chains/${tenantId}/records`)
    expect(reply.body.data).toEqual([written])
  })

  test('selects the records of its chain, also without row-level security', async () => {
    const [own, others, tenantId] = [createRecord(randomUUID()), createRecord(randomUUID()), randomUUID()]
    await world.store([own, others, createRecord(null), createRecord(tenantId)])
    await world.owner.query('ALTER TABLE audit_records NO FORCE ROW LEVEL SECURITY')
    // Row-level security then does not apply to the owner of the table.
    const unrestricted = openDatabase(world.database.ownerUrl, testPool)
    try {
      const query = { limit: 200 } as Parameters<typeof inspectRecords>[2]
      const { data } = await inspectRecords({ ...world.deps, db: unrestricted }, tenantId, query)
      expect(data.map((record) => record.tenant_id)).toEqual([tenantId])
    } finally {
      await unrestricted.close()
      await world.owner.query('ALTER TABLE audit_records FORCE ROW LEVEL SECURITY')
    }
  })

  test('filters and pages as listRecords does, newest first', async () => {
    const tenantId = randomUUID()
    const denied = { outcome: 'denied', status: 403 } as const
    const written = [createRecord(tenantId, denied), createRecord(tenantId), createRecord(tenantId, denied)]
    await world.store(written)
    const path = `/internal/chains/${tenantId}/records?outcome=denied&limit=1`
    const first = (await world.asOperator.get(path)).body
    const second = (await world.asOperator.get(`${path}&cursor=${first.next_cursor}`)).body
    expect([first.data, second.data]).toEqual([[written[2]], [written[0]]])
    expect(second.next_cursor).toBeNull()
  })

  test('shows an unknown chain as an empty page', async () => {
    const { status, body } = await world.asOperator.get(`/internal/chains/${randomUUID()}/records`)
    expect([status, body]).toEqual([200, { data: [], next_cursor: null }])
  })
})

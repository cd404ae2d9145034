import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { members } from '@payments/chassis/base/fair-permits'
import { testPool } from '@payments/testing/database/database'
import { createApp } from '../src/app.ts'
import { createSearches } from '../src/search/searches.ts'
import { openDatabase } from '../src/store/database.ts'
import { listRecords } from '../src/verbs/read-records.ts'
import { createRecord, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const path = '/v1/audit/records'

describe('listRecords', () => {
  test('shows a record as it was written, field for field', async () => {
    const tenantId = randomUUID()
    const written = createRecord(tenantId)
    await world.store([written])
    const reply = await world.asTenant(tenantId).get(path)
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({ data: [written], next_cursor: null })
  })

  test('pages newest first, also while records are added', async () => {
    const tenantId = randomUUID()
    const written = Array.from({ length: 5 }, () => createRecord(tenantId))
    await world.store(written)
    const first = await world.asTenant(tenantId).get(`${path}?limit=3`)
    await world.store([createRecord(tenantId)])
    const second = await world.asTenant(tenantId).get(`${path}?limit=3&cursor=${first.body.next_cursor}`)
    const seen = [...first.body.data, ...second.body.data].map(({ id }: { id: string }) => id)
    expect(seen).toEqual(written.map(({ id }) => id).reverse())
    expect(second.body.next_cursor).toBeNull()
  })

  test('selects the records of its tenant, also without row-level security', async () => {
    const [own, others, tenantId] = [createRecord(randomUUID()), createRecord(randomUUID()), randomUUID()]
    await world.store([own, others, createRecord(null), createRecord(tenantId)])
    await world.owner.query('ALTER TABLE audit_records NO FORCE ROW LEVEL SECURITY')
    // Row-level security then does not apply to the owner of the table.
    const unrestricted = openDatabase(world.database.ownerUrl, testPool)
    try {
      const query = { limit: 200 } as Parameters<typeof listRecords>[2]
      const caller = { tenantId } as Parameters<typeof listRecords>[1]
      const { data } = await listRecords({ ...world.deps, db: unrestricted }, caller, query)
      expect(data.map((record) => record.tenant_id)).toEqual([tenantId])
    } finally {
      await unrestricted.close()
      await world.owner.query('ALTER TABLE audit_records FORCE ROW LEVEL SECURITY')
    }
  })

  test('shows no records of another tenant or without a tenant', async () => {
    await world.store([createRecord(randomUUID()), createRecord(null)])
    const reply = await world.asTenant(randomUUID()).get(path)
    expect(reply.body).toEqual({ data: [], next_cursor: null })
  })

  test('ends a search that reads too many records, and lists them without the search', async () => {
    const [many, template] = [randomUUID(), createRecord(randomUUID())]
    await world.store([template])
    await world.owner.query(
      `INSERT INTO audit_records SELECT (jsonb_populate_record(r, jsonb_build_object(
         'tenant_id', $1::text, 'position', n, 'id', gen_random_uuid()))).*
       FROM audit_records r, generate_series(1, 20000) n WHERE r.id = $2`,
      [many, template.id],
    )
    const app = createApp({ ...world.deps, searches: createSearches(world.deps.db, { msMax: 1 }) })
    const asTenant = world.createCallers(app).asTenant(many)
    const search = await asTenant.get(`${path}?path_prefix=/nowhere`)
    expect([search.status, search.body.code]).toEqual([422, 'audit_search_too_long'])
    const listed = await asTenant.get(`${path}?limit=5`)
    expect([listed.status, listed.body.data.length]).toEqual([200, 5])
    expect((await world.asTenant(many).get(`${path}?path_prefix=/nowhere`)).body.data).toEqual([])
  })

  test('runs two searches of a tenant at once, one of a key, and does not hold those of another tenant', async () => {
    const [loud, quiet] = [randomUUID(), randomUUID()]
    const searches = createSearches(world.deps.db, { waitingMax: 0, waitMsMax: 0 })
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const by = (key: string, work: () => Promise<unknown>) => members.run(key, () => searches.run(loud, work))
    const first = by('one', () => held)
    await expect(by('one', async () => {})).rejects.toMatchObject({ code: 'rate_limited' })
    const running = [first, by('other', () => held)]
    await expect(by('third', async () => {})).rejects.toMatchObject({ code: 'rate_limited' })
    expect(await searches.run(quiet, async () => 'read')).toBe('read')
    release()
    expect(await Promise.all(running)).toHaveLength(2)
  })

  const tenantId = randomUUID()
  const actorId = randomUUID()
  const traceId = randomUUID()
  const ordinary = createRecord(tenantId, { occurred_at: '2026-03-01T12:00:00.000Z' })
  const cases: Record<string, Parameters<typeof createRecord>[1]> = {
    'actor_type=user': { actor: { type: 'user', id: 'alice' } },
    'actor_type=operator': { actor: { type: 'operator', id: 'ada@example.com' } },
    [`actor_id=${actorId}`]: { actor: { type: 'api_key', id: actorId } },
    'client=console': { actor: { type: 'user', id: 'alice' }, client: 'console' },
    'client=cli': { actor: { type: 'user', id: 'alice' }, client: 'cli' },
    'path_prefix=/v1/webhooks/': { path: '/v1/webhooks/deliveries' },
    'path_prefix=/v1/%25_%5C': { path: '/v1/%_\\x' },
    'outcome=error,denied': { outcome: 'error', status: 500, code: 'internal_error' },
    'code=role_not_found': { outcome: 'rejected', status: 409, code: 'role_not_found' },
    'operation=createKey': { operation: 'createKey' },
    'outcome=denied': { outcome: 'denied', status: 403 },
    'status=404': { outcome: 'rejected', status: 404 },
    [`trace_id=${traceId}`]: { trace_id: traceId },
    'occurred_after=2026-03-02T00:00:00Z': { occurred_at: '2026-03-02T00:00:00.000Z' },
    'occurred_before=2026-03-01T00:00:00%2B00:00': { occurred_at: '2026-02-28T23:59:59.999Z' },
  }
  test.each(Object.keys(cases))('filters by %s', async (query) => {
    const matching = createRecord(tenantId, { occurred_at: ordinary.occurred_at, ...cases[query] })
    await world.store([ordinary, matching])
    const reply = await world.asTenant(tenantId).get(`${path}?${query}`)
    expect(reply.body.data.map(({ id }: { id: string }) => id)).toEqual([matching.id])
  })

  test('hides the requests of people with client=none', async () => {
    const written = [createRecord(randomUUID()), createRecord(randomUUID(), { client: 'console' })]
    const own = written.map((record) => ({ ...record, tenant_id: tenantId, trace_id: traceId }))
    await world.store(own)
    const reply = await world.asTenant(tenantId).get(`${path}?client=none&trace_id=${traceId}`)
    const ids = reply.body.data.map(({ id }: { id: string }) => id)
    expect([ids.includes(own[0]?.id), ids.includes(own[1]?.id)]).toEqual([true, false])
  })

  test('pages oldest first with order=oldest', async () => {
    const other = randomUUID()
    const written = Array.from({ length: 5 }, () => createRecord(other))
    await world.store(written)
    const first = await world.asTenant(other).get(`${path}?order=oldest&limit=3`)
    const second = await world.asTenant(other).get(`${path}?order=oldest&limit=3&cursor=${first.body.next_cursor}`)
    const seen = [...first.body.data, ...second.body.data].map(({ id }: { id: string }) => id)
    expect(seen).toEqual(written.map(({ id }) => id))
  })

  test.each([
    ['limit=0', '/query/limit'],
    ['cursor=!', '/query/cursor'],
    ['status=99', '/query/status'],
    ['status=NaN', '/query/status'],
    ['outcome=fine', '/query/outcome'],
    ['outcome=denied,denied,denied,denied,denied', '/query/outcome'],
    ['order=random', '/query/order'],
    ['path_prefix=', '/query/path_prefix'],
    ['actor_type=service', '/query/actor_type'],
    ['client=curl', '/query/client'],
    ['trace_id=1', '/query/trace_id'],
    ['occurred_after=yesterday', '/query/occurred_after'],
    ['operation=%00', '/query/operation'],
    ['tenant_id=none', '/query/tenant_id'],
  ])('rejects %s and names the parameter', async (query, pointer) => {
    const reply = await world.asTenant(randomUUID()).get(`${path}?${query}`)
    expect([reply.status, reply.body.errors?.[0].pointer]).toEqual([400, pointer])
  })
})

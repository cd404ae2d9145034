import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sandboxOrchestratorId } from '@payments/contracts/nouns/sandbox-orchestrator'
import { outcome } from '@payments/testing/calls/caller'
import { draftUnit, startWorld, units, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const provision = (tenantId: string, body: object) =>
  world.asOperator.post(`/internal/tenants/${tenantId}/business-units`, body)

test('creates the unit with an active default sandbox, and emits both create events', async () => {
  const [tenantId, id] = [randomUUID(), randomUUID()]
  const response = await provision(tenantId, { business_unit_id: id, name: 'Acme' })
  const traceId = response.headers['trace-id']
  expect(response.status).toBe(200)
  const { business_unit: unit, payment_orchestrators: all } = response.body
  expect(unit).toMatchObject({ id, name: 'Acme', timezone_name: 'UTC', default_currency: null, status: 'active' })
  expect(all).toMatchObject([
    {
      id: sandboxOrchestratorId(id),
      business_unit_id: id,
      payment_gateway: 'sandbox',
      mode: 'test',
      is_default: true,
      status: 'active',
      gateway_authentication_fingerprint: null,
    },
  ])
  expect((await world.asTenant(tenantId).get(`${units}/${id}`)).body).toEqual(unit)
  expect(await world.events(tenantId)).toEqual([
    {
      type: 'business-unit.business-units.create',
      business_unit_id: null,
      trace_id: traceId,
      payload: { business_unit: unit },
    },
    {
      type: 'business.unit.payment.orchestrator.create',
      business_unit_id: id,
      trace_id: traceId,
      payload: { payment_orchestrator: all[0] },
    },
  ])
})

test('ten at once with one id create one unit and one sandbox, and all get the same response', async () => {
  const [tenantId, id] = [randomUUID(), randomUUID()]
  const names = Array.from({ length: 10 }, (_, i) => `Acme ${i}`)
  const replies = await Promise.all(names.map((name) => provision(tenantId, { business_unit_id: id, name })))
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  expect(await world.events(tenantId)).toHaveLength(2)
})

test('a unit of the tenant is returned as it is, changed, deleted or without a sandbox', async () => {
  const { tenant, tenantId, unit, path } = await world.unit()
  const again = async () => (await provision(tenantId, { business_unit_id: unit.id, name: 'Other' })).body
  expect(await again()).toEqual({ business_unit: unit, payment_orchestrators: [] })
  await tenant.delete(path)
  expect((await again()).business_unit).toMatchObject({ name: unit.name, status: 'deleted', version: 2 })
  expect(await world.events(tenantId)).toHaveLength(2)
})

test('the unit of another tenant is business_unit_not_found, and stays', async () => {
  const { tenant, unit, path } = await world.unit()
  const other = randomUUID()
  const response = await provision(other, { business_unit_id: unit.id, name: 'Mine' })
  expect(outcome(response)).toEqual([404, 'business_unit_not_found'])
  expect((await tenant.get(path)).body).toEqual(unit)
  expect(await world.events(other)).toEqual([])
})

test('two tenants at once with one id: one gets the unit', async () => {
  const id = randomUUID()
  const tenants = Array.from({ length: 10 }, () => randomUUID())
  const replies = await Promise.all(tenants.map((one) => provision(one, { business_unit_id: id, name: 'Acme' })))
  expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, ...Array(9).fill(404)])
})

test('a name of another active unit is business_unit_name_taken, and changes nothing', async () => {
  const { tenantId, tenant } = await world.unit({ name: 'Acme' })
  const response = await provision(tenantId, { business_unit_id: randomUUID(), name: 'ACME' })
  expect(outcome(response)).toEqual([409, 'business_unit_name_taken'])
  expect((await tenant.get(units)).body.data).toHaveLength(1)
})

test('a tenant with 200 active units is too_many_business_units', async () => {
  const { tenantId } = await world.unit()
  await world.rows(
    `INSERT INTO business_units (id, tenant_id, name, name_key, timezone_name, branding, communication, updated_at)
     SELECT gen_random_uuid(), $1::uuid, 'seed ' || n, 'seed ' || n, 'UTC', '{}', '{}', now()
     FROM generate_series(1, 199) AS n RETURNING id`,
    tenantId,
  )
  const response = await provision(tenantId, { business_unit_id: randomUUID(), name: draftUnit().name })
  expect(outcome(response)).toEqual([409, 'too_many_business_units'])
})

test('the SQL of decision 0071 computes the id of the sandbox', async () => {
  const record = new URL('../../../docs/decisions/0071-sandbox-and-test-mode.md', import.meta.url)
  const text = readFileSync(record, 'utf8')
  const [, formula = 'no formula'] = /```sql\n([\s\S]*?)```/.exec(text) ?? []
  const [, digest = 'no digest'] = /`(encode\(sha256[\s\S]*?)`/.exec(text) ?? []
  const ids = ['0191e4a2-0000-7d11-8c55-91b6e0a7c002', ...Array.from({ length: 100 }, () => randomUUID())]
  const rows = await world.rows<{ unit: string; sandbox: string }>(
    `SELECT business_unit_id::text AS unit, (${formula})::text AS sandbox
     FROM unnest($1::uuid[]) AS business_unit_id, LATERAL (SELECT ${digest} AS h) AS digest`,
    ids,
  )
  expect(rows).toHaveLength(ids.length)
  expect(rows).toEqual(ids.map((unit) => ({ unit, sandbox: sandboxOrchestratorId(unit) })))
})

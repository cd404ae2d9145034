import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { draftUnit, startWorld, units, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('creates a unit, stores it and emits one event with the unit', async () => {
  const tenantId = randomUUID()
  const tenant = world.asTenant(tenantId)
  const branding = { display_name: 'Berlin Coffee', logo_url: 'https://cdn.acme.com/logo.svg' }
  const given = { name: 'Berlin store', timezone_name: 'Europe/Berlin', default_currency: 'EUR', branding }
  const created = await tenant.post(units, given)
  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({
    ...given,
    branding: { ...branding, primary_color: null, support_email: null },
    communication: { from_name: null, reply_to: null },
    default_locale: null,
    status: 'active',
    version: 1,
  })
  expect(created.headers['location']).toBe(`${units}/${created.body.id}`)
  expect((await tenant.get(`${units}/${created.body.id}`)).body).toEqual(created.body)
  const [event, ...others] = await world.events(tenantId)
  expect(others).toEqual([])
  expect(event).toMatchObject({
    type: 'business-unit.business-units.create',
    business_unit_id: null,
    trace_id: created.headers['trace-id'],
    payload: { business_unit: created.body },
  })
})

test.each([
  ['europe/berlin', 'Europe/Berlin'],
  ['EUROPE/BERLIN', 'Europe/Berlin'],
  ['utc', 'UTC'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['US/Eastern', 'US/Eastern'],
])('stores the time zone %s as %s', async (timezone_name, stored) => {
  const tenant = world.asTenant(randomUUID())
  const { body } = await tenant.post(units, draftUnit({ timezone_name })).expect(201)
  expect(body.timezone_name).toBe(stored)
  expect((await tenant.get(`${units}/${body.id}`)).body.timezone_name).toBe(stored)
})

test.each([
  [{ name: '' }, '/name'],
  [{ name: ' ' }, '/name'],
  [{ name: 'Ber\u200blin' }, '/name'],
  [{ timezone_name: 'Berlin' }, '/timezone_name'],
  [{ timezone_name: '+01:00' }, '/timezone_name'],
  [{ default_currency: 'EURO' }, '/default_currency'],
  [{ default_currency: 'BGN' }, '/default_currency'],
  [{ default_locale: 'de--AT' }, '/default_locale'],
  [{ branding: { primary_color: 'red' } }, '/branding/primary_color'],
  [{ branding: { support_email: 'nobody' } }, '/branding/support_email'],
  [{ communication: { reply_to: 'nobody' } }, '/communication/reply_to'],
])('rejects %j, names the field and creates nothing', async (given, pointer) => {
  const tenantId = randomUUID()
  const reply = await world.asTenant(tenantId).post(units, draftUnit(given))
  expect(outcome(reply)).toEqual([400, 'invalid_request'])
  expect(reply.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
  expect((await world.asTenant(tenantId).get(units)).body.data).toEqual([])
  expect(await world.events(tenantId)).toEqual([])
})

test('rejects a logo on a private host with destination_not_allowed, and creates nothing', async () => {
  const tenantId = randomUUID()
  const reply = await world
    .asTenant(tenantId)
    .post(units, draftUnit({ branding: { logo_url: 'https://cdn.internal/logo.svg' } }))
  expect(outcome(reply)).toEqual([422, 'destination_not_allowed'])
  expect(reply.body.errors).toEqual([{ pointer: '/branding/logo_url', detail: 'must be a public host name' }])
  expect((await world.asTenant(tenantId).get(units)).body.data).toEqual([])
})

test.each([
  ['Berlin store', 'BERLIN STORE'],
  ['Berlin store', 'Berlin  store'],
  ['Straße', 'STRASSE'],
  ['Kassa 2', 'Kassa ２'],
  ['café', 'cafe\u0301'],
  ['Berlin', ' Berlin\u00a0'],
])('%s and %s are the same name: business_unit_name_taken', async (one, other) => {
  const { tenant, tenantId } = await world.unit({ name: one })
  expect(outcome(await tenant.post(units, draftUnit({ name: other })))).toEqual([409, 'business_unit_name_taken'])
  expect(await world.events(tenantId)).toHaveLength(1)
})

test('a name is stored without white space at its ends', async () => {
  const { unit, tenant, path } = await world.unit({ name: ' Berlin\t' })
  expect(unit.name).toBe('Berlin')
  expect((await tenant.patch(path, { name: '\u00a0Paris ' })).body.name).toBe('Paris')
})

test('another tenant may use the name, and so may the tenant after a deletion', async () => {
  const { tenant, path } = await world.unit({ name: 'Berlin store' })
  expect((await world.unit({ name: 'Berlin store' })).unit.name).toBe('Berlin store')
  expect((await tenant.delete(path)).status).toBe(204)
  expect((await tenant.post(units, draftUnit({ name: 'Berlin store' }))).status).toBe(201)
})

test('ten requests with one name at once create one unit and one event', async () => {
  const tenantId = randomUUID()
  const tenant = world.asTenant(tenantId)
  const names = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? 'Berlin' : 'BERLIN'))
  const replies = await Promise.all(names.map((name) => tenant.post(units, draftUnit({ name }))))
  const codes = replies.map(({ status, body }) => body.code ?? status)
  expect(codes.filter((code) => code === 201)).toHaveLength(1)
  expect(codes.filter((code) => code === 'business_unit_name_taken')).toHaveLength(9)
  expect(await world.events(tenantId)).toHaveLength(1)
})

test('ten requests at once do not exceed the 200 active units of a tenant', async () => {
  const { tenant, tenantId } = await world.unit()
  await world.rows(
    `INSERT INTO business_units (id, tenant_id, name, name_key, timezone_name, branding, communication, updated_at)
     SELECT gen_random_uuid(), $1::uuid, 'seed ' || n, 'seed ' || n, 'UTC', '{}', '{}', now()
     FROM generate_series(1, 194) AS n RETURNING id`,
    tenantId,
  )
  const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.post(units, draftUnit())))
  const codes = replies.map(({ status, body }) => body.code ?? status)
  expect(codes.filter((code) => code === 201)).toHaveLength(5)
  expect(codes.filter((code) => code === 'too_many_business_units')).toHaveLength(5)
})

test('creates one unit per Idempotency-Key', async () => {
  const tenantId = randomUUID()
  const tenant = world.asTenant(tenantId)
  const [body, header] = [draftUnit(), { 'Idempotency-Key': randomUUID() }]
  const first = await tenant.post(units, body, header)
  const again = await tenant.post(units, body, header)
  expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([201, first.body, 'true'])
  expect(await world.events(tenantId)).toHaveLength(1)
})

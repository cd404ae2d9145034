import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { businessUnitContract } from '@payments/contracts/services/business-unit/contract'
import { outcome } from '@payments/testing/calls/caller'
import { draftUnit, startWorld, units, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('changes the given fields only, increments the version and emits one event', async () => {
  const { tenant, tenantId, unit, path } = await world.unit({ default_currency: 'EUR' })
  const branding = { display_name: 'Coffee', logo_url: null, primary_color: null, support_email: null }
  const changed = await tenant.patch(path, { branding, default_currency: null })
  expect(changed.status).toBe(200)
  const expected = { ...unit, branding, default_currency: null, version: 2, updated_at: changed.body.updated_at }
  expect(changed.body).toEqual(expected)
  const [, event, ...others] = await world.events(tenantId)
  expect(others).toEqual([])
  expect(event).toMatchObject({ type: 'business-unit.business-units.update', payload: { business_unit: changed.body } })
})

test.each(Object.keys(businessUnitContract.endpoints.updateBusinessUnit.body.shape))(
  '%s alone changes itself and no other field',
  async (field) => {
    const values: Record<string, unknown> = {
      name: `other ${randomUUID()}`,
      timezone_name: 'Europe/Berlin',
      default_currency: 'USD',
      default_locale: 'pt-BR',
      branding: { display_name: 'Tea', logo_url: null, primary_color: '#000000', support_email: 'tea@example.com' },
      communication: { from_name: 'Tea', reply_to: 'tea@example.com' },
    }
    const { tenant, unit, path } = await world.unit({
      default_currency: 'EUR',
      default_locale: 'de',
      branding: { display_name: 'Coffee', primary_color: '#112233' },
      communication: { from_name: 'Coffee' },
    })
    const { body } = await tenant.patch(path, { [field]: values[field] }).expect(200)
    expect(body).toEqual({ ...unit, [field]: values[field], version: 2, updated_at: body.updated_at })
    expect(body[field]).not.toEqual(unit[field as keyof typeof unit])
    expect((await tenant.get(path)).body).toEqual(body)
  },
)

test('default_locale can be removed, and the event says so', async () => {
  const { tenant, tenantId, path } = await world.unit({ default_locale: 'de-AT' })
  expect((await tenant.get(path)).body.default_locale).toBe('de-AT')
  expect((await tenant.patch(path, { default_locale: null }).expect(200)).body.default_locale).toBeNull()
  const [, event] = await world.events(tenantId)
  expect(event).toMatchObject({ payload: { business_unit: { default_locale: null } } })
})

test('a unit may change the spelling of its own name, and may not take that of another one', async () => {
  const { tenant, tenantId, path } = await world.unit({ name: 'Berlin' })
  await tenant.post(units, draftUnit({ name: 'Paris' }))
  expect((await tenant.patch(path, { name: 'BERLIN' })).body.name).toBe('BERLIN')
  const taken = await tenant.patch(path, { name: 'PARIS' })
  expect(outcome(taken)).toEqual([409, 'business_unit_name_taken'])
  expect(taken.body.errors).toEqual([{ pointer: '/name', detail: 'is the name of another business unit' }])
  expect((await tenant.get(path)).body).toMatchObject({ name: 'BERLIN', version: 2 })
  expect(await world.events(tenantId)).toHaveLength(3)
})

test.each([
  [{}, 400, 'invalid_request', ''],
  [{ timezone_name: 'Nowhere/Land' }, 400, 'invalid_request', '/timezone_name'],
  [{ default_locale: 'deutschland' }, 400, 'invalid_request', '/default_locale'],
  [{ name: 'x', status: 'deleted' }, 400, 'invalid_request', '/status'],
  [{ branding: { logo_url: 'http://acme.com/a.png' } }, 422, 'destination_not_allowed', '/branding/logo_url'],
])('rejects %j, names the field and changes nothing', async (change, status, code, pointer) => {
  const { tenant, tenantId, unit, path } = await world.unit()
  const reply = await tenant.patch(path, change)
  expect(outcome(reply)).toEqual([status, code])
  expect(reply.body.errors.map((error: { pointer: string }) => error.pointer)).toEqual([pointer])
  expect((await tenant.get(path)).body).toEqual(unit)
  expect(await world.events(tenantId)).toHaveLength(1)
})

test('a deleted unit is business_unit_deleted, an unknown or foreign one business_unit_not_found', async () => {
  const { tenant, tenantId, path } = await world.unit()
  expect(outcome(await world.asTenant(randomUUID()).patch(path, { name: 'x' }))).toEqual([
    404,
    'business_unit_not_found',
  ])
  await tenant.delete(path)
  expect(outcome(await tenant.patch(path, { name: 'x' }))).toEqual([409, 'business_unit_deleted'])
  expect(await world.events(tenantId)).toHaveLength(2)
})

test('ten changes at once: each increments the version and emits one event', async () => {
  const { tenant, tenantId, path } = await world.unit()
  const changes = Array.from({ length: 10 }, (_, i) => tenant.patch(path, { default_currency: i % 2 ? 'EUR' : 'USD' }))
  const replies = await Promise.all(changes)
  const versions = replies.map(({ body }) => body.version).sort((a, b) => a - b)
  expect(versions).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  const events = await world.events(tenantId)
  expect(events.map(({ payload }) => payload.business_unit?.version)).toEqual([1, ...versions])
})

test('ten units that take one name at once: one gets the name', async () => {
  const { tenant } = await world.unit()
  const made = await Promise.all(Array.from({ length: 10 }, () => tenant.post(units, draftUnit())))
  const replies = await Promise.all(made.map(({ body }) => tenant.patch(`${units}/${body.id}`, { name: 'Berlin' })))
  expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, ...Array(9).fill(409)])
})

test('rejects a default currency that has ended, and keeps one that a unit has', async () => {
  const { tenant, unit, path } = await world.unit({ default_currency: 'EUR' })
  const reply = await tenant.patch(path, { default_currency: 'BGN' })
  expect([reply.status, reply.body.errors[0].pointer]).toEqual([400, '/default_currency'])
  await world.rows("UPDATE business_units SET default_currency = 'BGN' WHERE id = $1::uuid", unit.id)
  expect((await tenant.patch(path, { name: 'Sofia' })).body).toMatchObject({ name: 'Sofia', default_currency: 'BGN' })
})

test('changes the given members of branding and communication; null removes one, and an unknown one is rejected', async () => {
  const branding = { display_name: 'Coffee', primary_color: '#112233', support_email: 'help@example.com' }
  const communication = { from_name: 'Coffee', reply_to: 'help@example.com' }
  const { tenant, unit, path } = await world.unit({ branding, communication })
  const { body } = await tenant
    .patch(path, { branding: { display_name: 'Tea', support_email: null }, communication: { reply_to: null } })
    .expect(200)
  expect(body.branding).toEqual({ ...unit.branding, display_name: 'Tea', support_email: null })
  expect(body.communication).toEqual({ from_name: 'Coffee', reply_to: null })
  expect((await tenant.patch(path, { branding: {} }).expect(200)).body.branding).toEqual(body.branding)
  const rejected = await tenant.patch(path, { branding: { colour: '#112233' } })
  expect([rejected.status, rejected.body.errors[0].pointer]).toEqual([400, '/branding/colour'])
  expect((await tenant.get(path)).body.branding).toEqual(body.branding)
})

test('ten at once that change different members lose none', async () => {
  const { tenant, path } = await world.unit()
  const changes = [
    { branding: { display_name: 'Tea' } },
    { branding: { primary_color: '#112233' } },
    { branding: { support_email: 'help@example.com' } },
    { communication: { from_name: 'Tea' } },
    { communication: { reply_to: 'help@example.com' } },
  ]
  await Promise.all([...changes, ...changes].map((change) => tenant.patch(path, change).expect(200)))
  expect((await tenant.get(path)).body).toMatchObject({
    branding: { display_name: 'Tea', primary_color: '#112233', support_email: 'help@example.com' },
    communication: { from_name: 'Tea', reply_to: 'help@example.com' },
    version: 11,
  })
})

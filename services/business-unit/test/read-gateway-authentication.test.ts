import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { created, httpProvider, httpSecret, sandbox, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const read = (tenantId: string, id: string) =>
  world
    .asService('payment-proxy')
    .get(`/internal/tenants/${tenantId}/payment-orchestrators/${id}/gateway-authentication`)

test('payment-proxy reads the credentials with their fingerprint, also after a deletion', async () => {
  const of = await world.unit()
  const one = await created(of, httpProvider())
  const expected = {
    fingerprint: one.gateway_authentication_fingerprint,
    gateway_url: one.gateway_url,
    gateway_authentication: { key_id: 'key-1', secret: httpSecret },
  }
  expect((await read(of.tenantId, one.id)).body).toEqual(expected)
  await of.tenant.delete(`${of.orchestrators}/${one.id}`)
  expect((await read(of.tenantId, one.id)).body).toEqual(expected)
})

test('the sandbox has no credentials', async () => {
  const of = await world.unit()
  const one = await created(of, sandbox())
  expect((await read(of.tenantId, one.id)).body).toEqual({
    fingerprint: null,
    gateway_url: null,
    gateway_authentication: {},
  })
})

test('one of another tenant or an unknown one is payment_orchestrator_not_found', async () => {
  const of = await world.unit()
  const one = await created(of, httpProvider())
  for (const [tenantId, id] of [
    [randomUUID(), one.id],
    [of.tenantId, randomUUID()],
  ] as const) {
    expect(outcome(await read(tenantId, id))).toEqual([404, 'payment_orchestrator_not_found'])
  }
})

test('credentials that are moved to another payment orchestrator are a 500 without a value', async () => {
  const of = await world.unit()
  const [one, other] = [await created(of, httpProvider()), await created(of, httpProvider())]
  await world.rows(
    `UPDATE payment_orchestrators SET gateway_authentication_encrypted =
       (SELECT gateway_authentication_encrypted FROM payment_orchestrators WHERE id = $1::uuid)
     WHERE id = $2::uuid RETURNING id`,
    one.id,
    other.id,
  )
  const reply = await read(of.tenantId, other.id)
  expect(outcome(reply)).toEqual([500, 'internal_error'])
  expect(reply.text).not.toContain(httpSecret)
})

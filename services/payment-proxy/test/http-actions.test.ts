import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createHttpClient, type HttpClient } from '@payments/egress/http-client'
import { createApp } from '../src/app.ts'
import type { Accounts } from '../src/connectors/accounts.ts'
import { createHttpConnector } from '../src/connectors/http/http-connector.ts'
import type { Entry } from './reference-provider/ledger.ts'
import { startReferenceProvider, unusableActions } from './reference-provider/server.ts'
import { resumeAll } from './resume-all.ts'
import { startWorld, type World } from './world.ts'

let world: World
let adapter: Awaited<ReturnType<typeof startReferenceProvider>>
let client: HttpClient
beforeAll(async () => {
  world = await startWorld()
  adapter = await startReferenceProvider()
  client = createHttpClient({ allowPrivate: true })
})
afterAll(async () => {
  client.close()
  await adapter.close()
  await world.stop()
})

const minuteMs = 60_000

/** A tenant whose unit uses an adapter of version 2, and the ledger of its provider. */
async function adapterTenant() {
  const { keyId, secret, ledger } = adapter.account()
  const accounts: Accounts = {
    find: async ({ tenantId, businessUnitId, paymentOrchestratorId }) => ({
      tenantId,
      businessUnitId,
      paymentOrchestratorId,
      connector: 'http',
      mode: 'test',
      gatewayUrl: `${adapter.url}/adapter`,
      settings: { protocol_version: 2 },
      credentials: { key_id: keyId, secret },
      name: 'account',
    }),
  }
  const provider = world.createTestProvider(createHttpConnector(client), { accounts })
  const deps = { ...world.deps, providerCalls: provider }
  const tenant = world.tenant()
  await tenant.storeUnit({ orchestrators: [{ id: tenant.paymentOrchestratorId, payment_gateway: 'http' }] })
  const caller = tenant.through(createApp(deps))
  const details = (cc_token: string) => ({ payment_details: { payment_method: 'CREDIT_CARD', cc_token } })
  return {
    ...tenant,
    ...caller,
    pay: (token: string) =>
      caller.authorize('', { ...details(token), return_url: 'https://shop.example.com/orders/1' }),
    entry: (): Entry => {
      const [entry] = ledger.entries.values()
      if (entry === undefined) throw new Error('the provider has no operation')
      return entry
    },
    decide: (decision: 'confirm' | 'decline') => ledger.decide(([...ledger.entries.keys()] as [string])[0], decision),
    resume: () => resumeAll(deps),
  }
}

describe('an action that no payer should follow', () => {
  test.each(unusableActions)('is not passed on, and the provider ends the operation: %s', async (token) => {
    const tenant = await adapterTenant()
    const { status, body } = await tenant.pay(token)
    expect([status, body.decline_code]).toEqual([402, 'authentication_canceled'])
    expect(tenant.entry()).toMatchObject({ state: 'declined', declineCode: 'authentication_canceled' })
    const bank = ['bank.example.com', 'bank.internal', '10.0.0.1', 'javascript']
    const shown = JSON.stringify((await tenant.read(body.transaction_id)).body)
    expect(bank.filter((part) => shown.includes(part))).toEqual([])
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.failed'])
  })

  test('of a later sync ends the operation too', async () => {
    const tenant = await adapterTenant()
    const { body } = await tenant.pay('challenge')
    Object.assign(tenant.entry(), { action: { url: 'http://10.0.0.1/', expires_at: '2099-01-01T00:00:00.000Z' } })
    const { body: after } = await tenant.sync(body.id)
    expect([after.status, after.last_error.decline_code]).toEqual(['failed', 'authentication_canceled'])
    expect(tenant.entry().state).toBe('declined')
  })
})

describe('the end of the time for an action', () => {
  test('is 30 minutes after the start at most', async () => {
    const tenant = await adapterTenant()
    const { status, body } = await tenant.pay('challenge_year')
    expect(status).toBe(202)
    const { expires_at } = body.pending_operation.action
    expect(Date.parse(expires_at) - Date.parse(body.operations[0].created_at)).toBe(30 * minuteMs)
  })

  test('in the past leads to a cancellation by the next sync', async () => {
    const tenant = await adapterTenant()
    const { status, body } = await tenant.pay('challenge_past')
    expect(status).toBe(202)
    world.advanceClock(minuteMs)
    await tenant.resume()
    expect((await tenant.read(body.id)).body.last_error.decline_code).toBe('authentication_expired')
    expect(tenant.entry()).toMatchObject({ state: 'declined', declineCode: 'authentication_expired' })
  })

  test('of a second action with another address stays as in the first, and the last address counts', async () => {
    const tenant = await adapterTenant()
    const { body } = await tenant.pay('challenge')
    const { action: first } = body.pending_operation
    const second = { url: 'https://other-bank.example.com/', expires_at: '2099-01-01T00:00:00.000Z' }
    Object.assign(tenant.entry(), { action: second })
    const { body: synced } = await tenant.sync(body.id)
    expect(synced.pending_operation.action).toEqual({ ...first, url: second.url })
  })
})

test('a confirmed payment has the authentication in the transaction and in its event', async () => {
  const tenant = await adapterTenant()
  const { body } = await tenant.pay('challenge')
  tenant.decide('confirm')
  const { status, body: synced } = await tenant.sync(body.id)
  expect([status, synced.status]).toEqual([200, 'authorized'])
  const authentication = { version: '2.2.0', result: 'authenticated', eci: '05', transaction_id: expect.any(String) }
  expect(synced.operations[0].authentication).toEqual(authentication)
  expect((await tenant.events()).at(-1)?.payload.operation).toMatchObject({ authentication })
})

test('a void while the payer decides cancels at the provider', async () => {
  const tenant = await adapterTenant()
  const { body } = await tenant.pay('challenge')
  expect((await tenant.void(body.id)).body.status).toBe('voided')
  expect(tenant.entry()).toMatchObject({ state: 'declined', declineCode: 'authentication_canceled' })
})

test('an unknown id of another tenant cannot be canceled', async () => {
  const [tenant, other] = [await adapterTenant(), await adapterTenant()]
  const { body } = await tenant.pay('challenge')
  expect((await other.void(body.id)).status).toBe(404)
  expect((await other.void(randomUUID())).status).toBe(404)
  expect(tenant.entry().state).toBe('action_required')
})

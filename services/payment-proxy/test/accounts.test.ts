import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { client } from '@payments/chassis/client/client'
import { businessUnitContract, type PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import { createAccounts } from '../src/connectors/accounts.ts'
import { nameAccount } from '../src/domain/payment-orchestrator.ts'

/** business-unit, as far as `readGatewayAuthentication` needs it. */
const stored = new Map<string, Record<string, string>>()
const fingerprints = new Map<string, string>()
const adapterUrl = 'https://adapter.acme.com'
const urls = new Map<string, string>()
const reads: string[] = []
let isUp = true
const server = createServer((request, response) => {
  const [, , , , , id = ''] = (request.url ?? '').split('/')
  reads.push(id)
  if (!isUp) return response.writeHead(503).end('{}')
  const gateway_authentication = stored.get(id) ?? {}
  response.writeHead(200, { 'Content-Type': 'application/json' })
  const [fingerprint, gateway_url] = [fingerprints.get(id) ?? 'f1', urls.get(id) ?? adapterUrl]
  return response.end(JSON.stringify({ fingerprint, gateway_url, gateway_authentication }))
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const owner = { tenantId: randomUUID(), businessUnitId: randomUUID(), traceId: randomUUID() }

function orchestrator(changes: Partial<PaymentOrchestrator>): PaymentOrchestrator {
  const now = new Date().toISOString()
  return {
    id: randomUUID(),
    business_unit_id: owner.businessUnitId,
    name: 'Provider',
    payment_gateway: 'http',
    mode: 'live',
    gateway_url: 'https://adapter.acme.com',
    iframe_url: null,
    tokenizer_url: null,
    card_page_trusted: false,
    gateway_authentication_fingerprint: 'f1',
    payment_methods: null,
    currencies: null,
    is_default: false,
    status: 'active',
    settings: { region: 'eu' },
    version: 1,
    created_at: now,
    updated_at: now,
    ...changes,
  }
}

function findAmong(paymentOrchestrators: PaymentOrchestrator[]) {
  reads.length = 0
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const keys = new Map([['business-unit', createSecretKey(randomBytes(32))]])
  const calls = client(businessUnitContract, { self: 'payment-proxy', baseUrl, keys, timeoutMs: 20_000 })
  const accounts = createAccounts({ units: { find: async () => ({ paymentOrchestrators }) }, client: calls })
  return (paymentOrchestratorId: string, tenantId = owner.tenantId) =>
    accounts.find({ ...owner, tenantId, paymentOrchestratorId }, null)
}

test('reads credentials once for concurrent callers, and keeps them', async () => {
  const one = orchestrator({ status: 'deleted' })
  stored.set(one.id, { key_id: 'k', secret: 's' })
  const find = findAmong([one])
  const found = await Promise.all(Array.from({ length: 10 }, () => find(one.id)))
  await find(one.id)
  expect(reads).toEqual([one.id])
  expect(found[9]).toEqual({
    tenantId: owner.tenantId,
    businessUnitId: owner.businessUnitId,
    paymentOrchestratorId: one.id,
    connector: 'http',
    mode: 'live',
    gatewayUrl: 'https://adapter.acme.com',
    settings: { region: 'eu' },
    credentials: { key_id: 'k', secret: 's' },
    name: nameAccount(one),
  })
})

test('reads credentials again when the fingerprint changes', async () => {
  const one = orchestrator({})
  const units = [one]
  stored.set(one.id, { secret: 'old' })
  const find = findAmong(units)
  await find(one.id)
  stored.set(one.id, { secret: 'new' })
  expect((await find(one.id)).credentials).toEqual({ secret: 'old' })
  units[0] = { ...one, gateway_authentication_fingerprint: 'f2' }
  expect((await find(one.id)).credentials).toEqual({ secret: 'new' })
})

test('has the name of its URL and credentials, of the later ones where the copy is older, and of nothing else', async () => {
  const one = orchestrator({})
  stored.set(one.id, { secret: 's' })
  expect((await findAmong([{ ...one, name: 'Renamed', version: 7 }])(one.id)).name).toBe(nameAccount(one))
  fingerprints.set(one.id, 'f2')
  const later = nameAccount({ ...one, gateway_authentication_fingerprint: 'f2' })
  expect((await findAmong([one])(one.id)).name).toBe(later)
  expect(new Set([later, nameAccount(one), nameAccount({ ...one, gateway_url: 'https://other.acme.com' })]).size).toBe(
    3,
  )
})

test('credentials that were changed before the event of their change arrived are not cached', async () => {
  const one = orchestrator({})
  stored.set(one.id, { secret: 'other' })
  fingerprints.set(one.id, 'f2')
  const find = findAmong([one])
  expect((await find(one.id)).credentials).toEqual({ secret: 'other' })
  stored.set(one.id, { secret: 'first' })
  fingerprints.set(one.id, 'f1')
  expect((await find(one.id)).credentials).toEqual({ secret: 'first' })
})

test('new credentials go to their own gateway_url, also before the event of their change arrived', async () => {
  const one = orchestrator({})
  const units = [one]
  const find = findAmong(units)
  stored.set(one.id, { secret: 'old' })
  await find(one.id)
  const moved = 'https://other.acme.com'
  stored.set(one.id, { secret: 'new' })
  fingerprints.set(one.id, 'f2')
  urls.set(one.id, moved)
  expect(await find(one.id)).toMatchObject({ gatewayUrl: adapterUrl, credentials: { secret: 'old' } })
  expect(await findAmong(units)(one.id)).toMatchObject({ gatewayUrl: moved, credentials: { secret: 'new' } })
  units[0] = { ...one, gateway_authentication_fingerprint: 'f2', gateway_url: moved }
  expect(await find(one.id)).toMatchObject({ gatewayUrl: moved, credentials: { secret: 'new' } })
})

test('a failed read is thrown, and not cached', async () => {
  const one = orchestrator({})
  stored.set(one.id, { secret: 's' })
  const find = findAmong([one])
  isUp = false
  await expect(find(one.id)).rejects.toMatchObject({ code: 'service_unavailable' })
  isUp = true
  expect((await find(one.id)).credentials).toEqual({ secret: 's' })
})

test('long credentials of one tenant evict its own credentials, and no others', async () => {
  const long = { secret: 'x'.repeat(100_000) }
  const others = orchestrator({})
  const own = Array.from({ length: 60 }, () => orchestrator({}))
  for (const { id } of [others, ...own]) stored.set(id, long)
  const find = findAmong([others, ...own])
  const other = randomUUID()
  await find(others.id, other)
  for (const { id } of own) await find(id)
  reads.length = 0
  await find(others.id, other)
  await find(own.at(-1)?.id ?? '')
  await find(own[0]?.id ?? '')
  expect(reads).toEqual([own[0]?.id])
})

test('the sandbox needs no call, and an unknown payment orchestrator has no account', async () => {
  const one = orchestrator({ payment_gateway: 'sandbox', mode: 'test', gateway_url: null })
  const find = findAmong([one])
  expect(await find(one.id)).toMatchObject({ connector: 'sandbox', credentials: {} })
  await expect(find(randomUUID())).rejects.toThrow('no payment orchestrator')
  expect(reads).toEqual([])
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type KmsStandIn, kmsStandIn } from '@payments/testing/peers/kms'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { keyProvider } from '@payments/vault/key-provider'
import { kmsKeys } from '@payments/vault/kms-keys'
import { vaultMetrics } from '@payments/vault/metrics'
import { storedDataKeys } from '@payments/vault/stored-data-keys'
import { createVault, type Vault } from '@payments/vault/vault'
import { Registry } from 'prom-client'
import type { Database } from '../src/store/database.ts'
import { settled, someEvent, startWorld, subscribe, tenantWithUnit, type World } from './world.ts'

/** The service with its key-encryption key in AWS KMS, and a KMS that becomes unavailable. */
let world: World
let kms: KmsStandIn
let endpoint: Receiver
let vaultOn: (db: Database, registry: Registry) => Vault
const inherited = process.env

beforeAll(async () => {
  kms = await kmsStandIn()
  process.env = { ...inherited, ...kms.env }
  const arns = new Map([['kms', kms.createKey()]])
  vaultOn = (db, registry) => {
    const metrics = vaultMetrics(registry)
    // Patient, because the machine is busy with other tests.
    const keys = kmsKeys(arns, { metrics, timeoutMs: 60_000, attemptTimeoutMs: 20_000 })
    return createVault({ provider: keyProvider({ keys, current: 'kms' }), dataKeys: storedDataKeys(db), metrics })
  }
  world = await startWorld({ vaultOn })
  endpoint = await receiver()
})
afterAll(async () => {
  await world.stop()
  await endpoint.close()
  await kms.close()
  process.env = inherited
})

test('without KMS, requests that need an uncached data key get a 503; all others succeed', async () => {
  const known = await subscribe(world, endpoint.url)
  const { tenant, unitPath } = await tenantWithUnit(world, randomUUID())
  kms.become('away')
  const rejected = await tenant.post(unitPath, { destination_url: endpoint.url })
  expect([rejected.status, rejected.body.code]).toEqual([503, 'service_unavailable'])
  expect(rejected.headers['retry-after']).toBe('5')
  expect((await tenant.get(unitPath)).body.data).toEqual([])
  expect((await known.tenant.get(`${known.path}/reveal`)).body.secret).toBe(known.secret)
  expect((await known.tenant.post(known.unitPath, { destination_url: endpoint.url })).status).toBe(201)
  kms.become('available')
  expect((await tenant.post(unitPath, { destination_url: endpoint.url })).status).toBe(201)
})

test('a dispatcher without KMS postpones a delivery, counts no attempt, and sends it once KMS is back', async () => {
  const subscribed = await subscribe(world, `${endpoint.url}/postponed`)
  kms.become('away')
  const metrics = new Registry()
  await world.dispatch(undefined, vaultOn(world.db, metrics))
  await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
  const failed = /^vault_kms_requests_total\{operation="decrypt",outcome="unavailable"\} [1-9]/m
  await until(async () => failed.test(await metrics.metrics()), 60_000)
  await until(async () => (await subscribed.deliveries())[0]?.status === 'pending', 60_000)
  expect((await subscribed.deliveries())[0]).toMatchObject({ attempt_count: 0 })
  kms.become('available')
  const delivered = await settled(subscribed, 'delivered', 90_000)
  expect(delivered.attempt_count).toBe(1)
  expect(endpoint.received.filter(({ path }) => path === '/postponed')).toHaveLength(1)
}, 180_000)

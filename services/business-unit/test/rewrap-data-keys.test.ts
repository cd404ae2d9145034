import { createSecretKey, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createMetrics } from '@payments/chassis/process/metrics'
import { openVault } from '../src/store/vault.ts'
import { readGatewayAuthentication } from '../src/verbs/read-gateway-authentication.ts'
import { rewrapDataKeys } from '../src/verbs/rewrap-data-keys.ts'
import { created, httpProvider, httpSecret, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('rewrapDataKeys wraps every data key with the current key; the previous one is not needed any more', async () => {
  const of = [await world.unit(), await world.unit()]
  const made = await Promise.all(of.map((one) => created(one, httpProvider())))
  const next = createSecretKey(randomBytes(32))
  const { db, log } = world.deps
  const keys = new Map([...world.vaultKeys, ['k2', next]])
  const vault = openVault({ VAULT_KEYS: keys, VAULT_KEY_CURRENT: 'k2' }, db, createMetrics('business-unit').registry)
  const first = await rewrapDataKeys({ db, vault, log }, { after: null, limit: 1 })
  expect(first).toMatchObject({ current: 'k2', done: 1, failed: 0, remaining: 1 })
  const second = await rewrapDataKeys({ db, vault, log }, { after: first.next, limit: 10, current: 'k2' })
  expect(second).toMatchObject({ done: 1, remaining: 0, next: null })

  const later = openVault(
    { VAULT_KEYS: new Map([['k2', next]]), VAULT_KEY_CURRENT: 'k2' },
    db,
    createMetrics('business-unit').registry,
  )
  for (const [i, { tenantId }] of of.entries()) {
    const read = await readGatewayAuthentication({ ...world.deps, vault: later }, tenantId, made[i]?.id ?? '')
    expect(read.gateway_authentication['secret']).toBe(httpSecret)
  }
})

test('rejects the call of an operator while another key is current', async () => {
  const body = { after: null, limit: 10, current: 'k0' }
  const { response } = await world.asOperator.post('/internal/secrets/rewrap', body)
  expect([response.status, response.body.code]).toEqual([409, 'other_key_current'])
})

import { createSecretKey, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createMetrics } from '@payments/chassis/process/metrics'
import { decryptLink } from '../src/code/link.ts'
import { findCode } from '../src/store/codes.ts'
import { openVault } from '../src/store/vault.ts'
import { rewrapDataKeys } from '../src/verbs/rewrap-data-keys.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('rewrapDataKeys wraps every data key with the current key; the previous one is not needed any more', async () => {
  const tenants = [world.tenant(), world.tenant()]
  const codes = await Promise.all(tenants.map((tenant) => tenant.create()))
  const next = createSecretKey(randomBytes(32))
  const { db, log } = world.deps
  const { registry } = createMetrics('invite-to-pay')
  const vault = openVault(
    { VAULT_KEYS: new Map([...world.vaultKeys, ['k2', next]]), VAULT_KEY_CURRENT: 'k2' },
    db,
    registry,
  )
  const first = await rewrapDataKeys({ db, vault, log }, { after: null, limit: 1 })
  expect(first).toMatchObject({ current: 'k2', done: 1, failed: 0, remaining: 1 })
  const second = await rewrapDataKeys({ db, vault, log }, { after: first.next, limit: 10, current: 'k2' })
  expect(second).toMatchObject({ done: 1, remaining: 0, next: null })
  const only = { VAULT_KEYS: new Map([['k2', next]]), VAULT_KEY_CURRENT: 'k2' }
  const later = openVault(only, db, createMetrics('invite-to-pay').registry)
  for (const [i, { id: tenantId }] of tenants.entries()) {
    const code = await db.inTenant(tenantId, (tx) => findCode(tx, tenantId, codes[i]?.id ?? ''))
    if (code === null) throw new Error('no code')
    expect(await decryptLink({ ...world.deps, vault: later }, code)).toBe(codes[i]?.url)
  }
})

test('rejects the call of an operator while another key is current', async () => {
  const body = { after: null, limit: 10, current: 'k0' }
  const { response } = await world.asOperator.post('/internal/secrets/rewrap', body)
  expect([response.status, response.body.code]).toEqual([409, 'other_key_current'])
})

import { createSecretKey, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { keyRing } from '@payments/vault/key-ring'
import { Registry } from 'prom-client'
import { openVault } from '../src/store/vault.ts'
import { rewrapDataKeys } from '../src/verbs/rewrap-data-keys.ts'
import { startWorld, subscribe, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('rewrapDataKeys wraps every data key with the current key; secrets can be decrypted without the previous one', async () => {
  const subscribed = [await subscribe(world, 'https://example.com/a'), await subscribe(world, 'https://example.com/b')]
  const previous = keyRing.parse(world.vaultKeys.VAULT_KEYS)
  const next = createSecretKey(randomBytes(32))
  const { db, log } = world
  const both = openVault(
    { VAULT_KEYS: new Map([...previous, ['k2', next]]), VAULT_KEY_CURRENT: 'k2' },
    db,
    new Registry(),
  )
  const first = await rewrapDataKeys({ db, vault: both, log }, { after: null, limit: 1 })
  expect(first).toMatchObject({ current: 'k2', done: 1, failed: 0, remaining: 1 })
  const second = await rewrapDataKeys({ db, vault: both, log }, { after: first.next, limit: 10, current: 'k2' })
  expect(second).toMatchObject({ done: 1, remaining: 0, next: null })

  const later = openVault({ VAULT_KEYS: new Map([['k2', next]]), VAULT_KEY_CURRENT: 'k2' }, db, new Registry())
  for (const { tenantId, id, secret } of subscribed) {
    const row = await db.inTenant(tenantId, (tx) => tx.subscription.findFirstOrThrow({ where: { id } }))
    const binding = { purpose: 'webhooks.secret', tenantId, recordId: id }
    expect(await later.decrypt(binding, row.secretEncrypted ?? new Uint8Array())).toBe(secret)
  }
})

test('rejects the call of an operator while another key is current', async () => {
  const done = await world.asOperator.post('/internal/secrets/rewrap', { after: null, limit: 10, current: 'k1' })
  expect([done.status, done.body.current, done.body.next]).toEqual([200, 'k1', null])
  const rejected = await world.asOperator.post('/internal/secrets/rewrap', { after: null, limit: 10, current: 'k0' })
  expect([rejected.status, rejected.body.code]).toEqual([409, 'other_key_current'])
})

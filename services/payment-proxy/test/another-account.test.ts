import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createApp } from '../src/app.ts'
import type { Accounts } from '../src/connectors/accounts.ts'
import { createSandboxAccount } from './sandbox-account.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** An authorization whose process crashed before it reached the provider; then its payment orchestrator changes. */
async function crashed(change: { name: string } | { gateway_authentication_fingerprint: string }) {
  const tenant = world.tenant()
  const one = { id: tenant.paymentOrchestratorId }
  await tenant.storeUnit({ orchestrators: [one] })
  expect((await tenant.through(world.crashing('before')).authorize()).status).toBe(500)
  await tenant.storeUnit({ orchestrators: [{ ...one, ...change }] })
  world.advanceClock(60_000)
  await world.resumeOpen()
  const [{ id } = { id: '' }] = (await tenant.list()).body.data
  return (await tenant.read(id)).body
}

test('an operation that never reached the provider ends so after its payment orchestrator was renamed', async () => {
  expect((await crashed({ name: 'Renamed' })).operations).toMatchObject([{ state: 'not_attempted' }])
})

test('another account cannot end it: the operation stays unknown', async () => {
  const { operations } = await crashed({ gateway_authentication_fingerprint: 'other' })
  expect(operations).toMatchObject([{ state: 'unknown' }])
})

test('an operation has the account that it is sent to, also if that is another one than at its start', async () => {
  const tenant = world.tenant()
  const one = { id: tenant.paymentOrchestratorId }
  await tenant.storeUnit({ orchestrators: [one] })
  const { id } = (await tenant.authorize()).body
  const accountsNow: Accounts = { find: async (owner) => ({ ...createSandboxAccount(owner), name: 'second' }) }
  const changed = { ...world.deps, providerCalls: world.createTestProvider(world.sandbox, { accounts: accountsNow }) }
  expect((await tenant.through(createApp(changed)).capture(id)).status).toBe(200)
  const accounts = await world.rows<{ type: string; account: string }>(
    'SELECT type::text AS type, account FROM operations WHERE transaction_id = $1::uuid ORDER BY number',
    id,
  )
  expect(accounts.at(-1)).toEqual({ type: 'capture', account: 'second' })
})

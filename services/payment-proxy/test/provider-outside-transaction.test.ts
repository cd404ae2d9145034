import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createApp } from '../src/app.ts'
import type { Provider } from '../src/connectors/provider.ts'
import { releaseExpiredAuthorizations } from '../src/verbs/release-expired-authorizations.ts'
import { settleOpenOperations } from '../src/verbs/settle-open-operations.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const dayMs = 24 * 60 * 60 * 1_000

/** Sessions of the service, its sandbox included, that have a transaction open. */
async function openTransactions(): Promise<number> {
  const [row] = await world.deps.db.sql.$queryRawUnsafe<[{ count: number }]>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
       AND query NOT LIKE '%pg_stat_activity%'`,
  )
  return row.count
}

test('the provider is asked outside of any database transaction: by each request, by sync, by both sweepers', async () => {
  const asked: [string, number][] = []
  const counts: Promise<number>[] = []
  const provider: Provider = {
    ...world.deps.provider,
    ask: async (question) => {
      const { operation, kind } = question
      const count = openTransactions()
      counts.push(count)
      asked.push([kind.do === 'sync' ? 'sync' : operation.type, await count])
      // Concurrent requests of a sweeper: the sandbox opens no transaction before each has its count.
      await Promise.all(counts)
      return world.deps.provider.ask(question)
    },
  }
  const deps = { ...world.deps, provider }
  const tenant = world.tenant()
  const caller = tenant.through(createApp(deps))
  const keyed = (await caller.authorize('visa', { capture: true }, 'authorize')).body.id
  await caller.refund(keyed, { amount: 100 }, 'refund')
  const { id } = (await caller.create()).body
  await caller.complete(id)
  await caller.capture(id, { amount: 100 })
  await caller.void(id)
  const unknown = (await caller.authorize('timeout_applied')).body.id
  await caller.sync(unknown)
  await caller.authorize('timeout_applied')
  world.putClockForward(60_000)
  await settleOpenOperations(deps)
  world.putClockForward(7 * dayMs)
  await releaseExpiredAuthorizations(deps)
  const all = [
    'authorize',
    'capture',
    'refund',
    'authorize',
    'capture',
    'void',
    'authorize',
    'sync',
    'authorize',
    'sync',
  ]
  expect(asked).toEqual([...all, 'void', 'void'].map((what) => [what, 0]))
})

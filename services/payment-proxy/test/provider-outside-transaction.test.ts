import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createApp } from '../src/app.ts'
import type { ProviderCalls } from '../src/connectors/provider-calls.ts'
import type { Deps } from '../src/deps.ts'
import { asInviteToPay, invited } from './invitations.ts'
import { releaseAll, resumeAll } from './resume-all.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const dayMs = 24 * 60 * 60 * 1_000

const deadlineMs = 5_000

/**
 * Number of database sessions with an open transaction, once it is 0 or after five seconds. The transactions of
 * concurrent work end meanwhile; one around the call does not.
 */
async function openTransactions(): Promise<number> {
  const deadlineAt = Date.now() + deadlineMs
  for (;;) {
    const [row] = await world.deps.db.sql.$queryRawUnsafe<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
         AND xact_start IS NOT NULL AND query NOT LIKE '%pg_stat_activity%'`,
    )
    if (row.count === 0 || Date.now() > deadlineAt) return row.count
    await pause(5)
  }
}

test('the provider is called outside of any database transaction: by each request, by sync, by both sweepers', async () => {
  const calls: [string, number][] = []
  const provider: ProviderCalls = {
    ...world.deps.providerCalls,
    send: async (request) => {
      const { operation, instruction } = request
      calls.push([instruction.kind === 'sync' ? 'sync' : operation.type, await openTransactions()])
      return world.deps.providerCalls.send(request)
    },
  }
  const deps = { ...world.deps, providerCalls: provider }
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
  world.advanceClock(60_000)
  await resumeAll(deps)
  world.advanceClock(7 * dayMs)
  await releaseAll(deps)
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
  expect(calls).toEqual([...all, 'void', 'void'].map((type) => [type, 0]))
})

test('the payment of a payer and the calls of invite-to-pay are outside of any database transaction', async () => {
  const calls: [string, number][] = []
  const { providerCalls: provider, inviteToPay } = world.deps
  const count = async (name: string) => calls.push([name, await openTransactions()])
  const deps: Deps = {
    ...world.deps,
    providerCalls: {
      ...provider,
      send: async (request) => {
        await count('send')
        return provider.send(request)
      },
    },
    inviteToPay: {
      checkInvitation: async (context, call) => {
        await count('check')
        return inviteToPay.checkInvitation(context, call)
      },
      resendCode: async (context, call) => {
        await count('resend')
        return inviteToPay.resendCode(context, call)
      },
    },
  }
  const app = createApp(deps)
  const tenant = world.tenant()
  const caller = tenant.through(app)
  const { id } = (await caller.create(invited, 'create')).body
  await caller.resend(id, 'resend')
  await asInviteToPay(world, tenant).through(app).pay(id)
  expect(calls).toEqual(['check', 'resend', 'send'].map((name) => [name, 0]))
})

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createApp } from '../src/app.ts'
import { resumeAll } from './resume-all.ts'
import { heldProvider, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const lastOperation = (body: { operations: Record<string, unknown>[] }) => body.operations.at(-1)

describe('a lost response', () => {
  test('responds 202 after the time-out, and rejects other operations until the outcome is known', async () => {
    const tenant = world.tenant()
    let executed: Promise<unknown> = Promise.resolve()
    // Executes the operation and never responds: only the time-out ends the wait.
    const silent: typeof world.sandbox = {
      ...world.sandbox,
      execute: (command) => {
        executed = world.sandbox.execute(command, new AbortController().signal)
        return new Promise(() => {})
      },
    }
    const app = createApp({ ...world.deps, providerCalls: world.createTestProvider(silent, { timeoutMs: 50 }) })
    const { status, body } = await tenant.through(app).authorize('visa')
    await executed
    expect([status, body.pending_operation.state]).toEqual([202, 'unknown'])
    for (const rejected of [
      await tenant.complete(body.id),
      await tenant.capture(body.id),
      await tenant.void(body.id),
    ]) {
      expect([rejected.status, rejected.body.code]).toEqual([409, 'operation_in_progress'])
    }
    const synced = await tenant.sync(body.id)
    expect([synced.status, synced.body.status]).toEqual([200, 'authorized'])
    expect(await tenant.ledger()).toHaveLength(1)
  })

  test.each(['capture', 'refund'] as const)(
    'of a %s: applied or not, the recorded operations match the ledger',
    async (verb) => {
      for (const applied of [true, false]) {
        const tenant = world.tenant()
        const token = `${verb}_timeout_${applied ? '' : 'not_'}applied`
        const { id } = (await tenant.authorize(token)).body
        if (verb === 'refund') await tenant.capture(id)
        const unknown = await tenant[verb](id, { amount: 4_000 })
        expect([unknown.status, lastOperation(unknown.body)]).toMatchObject([202, { type: verb, state: 'unknown' }])
        const { body } = await tenant.sync(id)
        expect(body[`amount_${verb}${verb === 'refund' ? 'ed' : 'd'}`]).toBe(applied ? 4_000 : 0)
        expect((await tenant.eventTypes()).at(-1)).toBe(applied ? verb : `${verb}.failed`)
        const done = ({ state }: { state: string }) => state === 'succeeded'
        expect((await tenant.recorded()).filter(done)).toEqual((await tenant.ledger()).filter(done))
      }
    },
  )
})

test('while a request waits for the provider, neither a sync nor the sweeper sends a request for its operation', async () => {
  const tenant = world.tenant()
  const provider = heldProvider(world.deps.providerCalls)
  const app = createApp({ ...world.deps, providerCalls: provider })
  const running = tenant
    .through(app)
    .authorize('visa')
    .then((reply) => reply)
  await provider.reached
  const [{ id }] = (await tenant.list()).body.data
  const synced = await tenant.through(app).sync(id)
  await resumeAll({ ...world.deps, providerCalls: provider })
  provider.respond()
  expect([synced.status, lastOperation(synced.body)]).toMatchObject([202, { state: 'in_progress', attempt_count: 1 }])
  expect(provider.requests.map(({ instruction }) => instruction.kind)).toEqual(['execute'])
  expect([(await running).status, (await tenant.sync(id)).status]).toEqual([201, 200])
  expect(await tenant.eventTypes()).toEqual(['create', 'authorize'])
})

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createApp } from '../src/app.ts'
import type { ProviderCalls } from '../src/connectors/provider-calls.ts'
import type { Outcome } from '../src/domain/outcome.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** The provider is not reached by the first operation, and the response to the second is lost. */
function faultyProvider(provider: ProviderCalls): ProviderCalls {
  const faults: ((sent: () => Promise<Outcome>) => Promise<Outcome>)[] = [
    async () => ({ kind: 'not_attempted', reason: 'the provider rejected the connection' }),
    async (sent) => {
      await sent()
      return { kind: 'unknown', reason: 'the response was lost' }
    },
  ]
  return {
    ...provider,
    send: async (request) => {
      const fault = faults.shift()
      const sent = () => provider.send(request)
      return fault === undefined ? sent() : fault(sent)
    },
  }
}

test('a key that was retried refers to the retried operation, also when its outcome becomes known later', async () => {
  const { tenant, id } = await world.authorized()
  const app = createApp({ ...world.deps, providerCalls: faultyProvider(world.deps.providerCalls) })
  const capture = () => tenant.through(app).capture(id, { amount: 4_000 }, 'key')
  const [first, second] = [await capture(), await capture()]
  expect([first.status, second.status]).toEqual([502, 202])
  expect((await tenant.sync(id)).body.amount_captured).toBe(4_000)
  const third = await capture()
  expect([third.status, third.get('Idempotent-Replayed'), third.body.amount_captured]).toEqual([200, 'true', 4_000])
  expect((await tenant.ledger()).map(({ type }) => type)).toEqual(['authorize', 'capture'])
})

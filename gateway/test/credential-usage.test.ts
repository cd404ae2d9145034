import { randomUUID } from 'node:crypto'
import { afterEach, expect, jest, test } from '@jest/globals'
import { createLog } from '@payments/chassis/observability/log'
import { type CredentialUse, createCredentialUsage } from '../src/authorization/credential-usage.ts'
import type { Deps } from '../src/deps.ts'
import { startWorld, until } from './world.ts'

afterEach(() => {
  jest.restoreAllMocks()
})

/** A service that stores the batches that it receives; rejects while `isDown`. */
function createService() {
  const received: (readonly CredentialUse[])[] = []
  const state = { isDown: false }
  return {
    received,
    state,
    send: async (uses: readonly CredentialUse[]) => {
      if (state.isDown) throw new Error('down')
      received.push(uses)
    },
  }
}

const log = createLog('gateway', 'silent')
const common = { name: 'record uses', credentialsMax: 20_000, intervalMs: 1_000_000, log }

test('flushes one use per credential and minute, with the time of the first', async () => {
  const clock = jest.spyOn(Date, 'now')
  const service = createService()
  const usage = createCredentialUsage({ ...common, send: service.send })
  clock.mockReturnValue(Date.parse('2026-01-01T00:00:10.000Z'))
  usage.record('a', 't')
  usage.record('a', 't')
  clock.mockReturnValue(Date.parse('2026-01-01T00:00:59.000Z'))
  usage.record('a', 't')
  usage.record('b', 't')
  await usage.close()
  clock.mockReturnValue(Date.parse('2026-01-01T00:01:00.000Z'))
  usage.record('a', 't')
  await usage.close()
  expect(service.received.map((batch) => batch.map((use) => [use.id, use.used_at]))).toEqual([
    [
      ['a', '2026-01-01T00:00:10.000Z'],
      ['b', '2026-01-01T00:00:59.000Z'],
    ],
    [['a', '2026-01-01T00:01:00.000Z']],
  ])
})

test('flushes by itself after each interval', async () => {
  const service = createService()
  const usage = createCredentialUsage({ ...common, send: service.send, intervalMs: 10 })
  for (const [index, key] of ['a', 'b'].entries()) {
    usage.record(key, 't')
    await until(() => (service.received.length > index ? true : undefined))
  }
  expect(service.received.flat().map((use) => use.id)).toEqual(['a', 'b'])
  await usage.close()
})

test('flushes after a failure, in batches of 1 000, up to 10 000 uses', async () => {
  const service = createService()
  const usage = createCredentialUsage({ ...common, send: service.send })
  service.state.isDown = true
  for (let i = 0; i < 12_000; i += 1) usage.record(String(i), 't')
  await usage.close()
  expect(service.received).toEqual([])
  service.state.isDown = false
  await usage.close()
  expect(service.received.map((batch) => batch.length)).toEqual(Array.from({ length: 10 }, () => 1_000))
  expect(new Set(service.received.flat().map((use) => use.id)).size).toBe(10_000)
  await usage.close()
  expect(service.received).toHaveLength(10)
})

test('a key shows the time of its last use', async () => {
  let deps: Deps | undefined
  const world = await startWorld({ alter: (given) => (deps = given) })
  const tenant = await world.tenant()
  const key = await tenant.keyWith(['apikey:ReadKey'])
  const shown = async () => {
    const reply = await world.send('get', `/v1/api-key/keys/${key.id}`, tenant.admin).expect(200)
    return reply.body.last_used_at as string | null
  }
  expect(await shown()).toBeNull()
  const before = Date.now()
  await world.send('get', `/v1/api-key/keys/${randomUUID()}`, key).expect(404)
  await deps?.resolver.close()
  expect(Date.parse(String(await shown()))).toBeGreaterThanOrEqual(before)
  await world.stop()
})

import { randomUUID } from 'node:crypto'
import { afterEach, expect, jest, test } from '@jest/globals'
import { createKeyUsage } from '../src/authorization/key-usage.ts'
import type { Deps } from '../src/deps.ts'
import { startWorld, until } from './world.ts'

afterEach(() => {
  jest.restoreAllMocks()
})

/** A source that stores the batches that it receives; rejects while `isDown`. */
function createSource() {
  const received: { api_key_id: string; used_at: string }[][] = []
  const state = { isDown: false }
  return {
    received,
    state,
    recordKeyUses: async (_: unknown, { body }: { body?: { uses: { api_key_id: string; used_at: string }[] } }) => {
      if (state.isDown) throw new Error('down')
      received.push(body?.uses ?? [])
      return { recorded: 0 }
    },
  }
}

const intervalMs = 1_000_000

test('flushes one use per key and minute, with the time of the first', async () => {
  const clock = jest.spyOn(Date, 'now')
  const apiKey = createSource()
  const keyUsage = createKeyUsage({ source: apiKey, onFailure: () => {}, keysMax: 100, intervalMs })
  clock.mockReturnValue(Date.parse('2026-01-01T00:00:10.000Z'))
  keyUsage.record('a', 't')
  keyUsage.record('a', 't')
  clock.mockReturnValue(Date.parse('2026-01-01T00:00:59.000Z'))
  keyUsage.record('a', 't')
  keyUsage.record('b', 't')
  await keyUsage.close()
  clock.mockReturnValue(Date.parse('2026-01-01T00:01:00.000Z'))
  keyUsage.record('a', 't')
  await keyUsage.close()
  expect(apiKey.received.map((batch) => batch.map((use) => [use.api_key_id, use.used_at]))).toEqual([
    [
      ['a', '2026-01-01T00:00:10.000Z'],
      ['b', '2026-01-01T00:00:59.000Z'],
    ],
    [['a', '2026-01-01T00:01:00.000Z']],
  ])
})

test('flushes by itself after each interval', async () => {
  const apiKey = createSource()
  const keyUsage = createKeyUsage({ source: apiKey, onFailure: () => {}, keysMax: 100, intervalMs: 10 })
  for (const [index, key] of ['a', 'b'].entries()) {
    keyUsage.record(key, 't')
    await until(() => (apiKey.received.length > index ? true : undefined))
  }
  expect(apiKey.received.flat().map((use) => use.api_key_id)).toEqual(['a', 'b'])
  await keyUsage.close()
})

test('flushes after a failure, in batches of 1 000, up to 10 000 uses', async () => {
  const apiKey = createSource()
  const failures: unknown[] = []
  const keyUsage = createKeyUsage({
    source: apiKey,
    onFailure: (error) => failures.push(error),
    keysMax: 20_000,
    intervalMs,
  })
  apiKey.state.isDown = true
  for (let i = 0; i < 12_000; i += 1) keyUsage.record(String(i), 't')
  await keyUsage.close()
  expect(failures).toHaveLength(1)
  apiKey.state.isDown = false
  await keyUsage.close()
  expect(apiKey.received.map((batch) => batch.length)).toEqual(Array.from({ length: 10 }, () => 1_000))
  expect(new Set(apiKey.received.flat().map((use) => use.api_key_id)).size).toBe(10_000)
  await keyUsage.close()
  expect(apiKey.received).toHaveLength(10)
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

import { randomUUID } from 'node:crypto'
import { afterEach, expect, jest, test } from '@jest/globals'
import { createKeyUses } from '../src/authorization/key-usage.ts'
import type { Deps } from '../src/deps.ts'
import { startWorld } from './world.ts'

afterEach(() => {
  jest.restoreAllMocks()
})

/** An owner that writes down what it is told; `silent` while it is away. */
function owner() {
  const told: { api_key_id: string; used_at: string }[][] = []
  const state = { silent: false }
  return {
    told,
    state,
    recordKeyUses: async (_: unknown, { body }: { body?: { uses: { api_key_id: string; used_at: string }[] } }) => {
      if (state.silent) throw new Error('away')
      told.push(body?.uses ?? [])
      return { recorded: 0 }
    },
  }
}

const everyMs = 1_000_000

test('a use is told once a minute for each key, with the instant of the first', async () => {
  const clock = jest.spyOn(Date, 'now')
  const apiKey = owner()
  const uses = createKeyUses({ owner: apiKey, onFailure: () => {}, keysMax: 100, everyMs })
  clock.mockReturnValue(Date.parse('2026-01-01T00:00:10.000Z'))
  uses.note('a', 't')
  uses.note('a', 't')
  clock.mockReturnValue(Date.parse('2026-01-01T00:00:59.000Z'))
  uses.note('a', 't')
  uses.note('b', 't')
  await uses.close()
  clock.mockReturnValue(Date.parse('2026-01-01T00:01:00.000Z'))
  uses.note('a', 't')
  await uses.close()
  expect(apiKey.told.map((batch) => batch.map((use) => [use.api_key_id, use.used_at]))).toEqual([
    [
      ['a', '2026-01-01T00:00:10.000Z'],
      ['b', '2026-01-01T00:00:59.000Z'],
    ],
    [['a', '2026-01-01T00:01:00.000Z']],
  ])
})

test('what could not be told is told later, in batches of a thousand, up to ten thousand', async () => {
  const apiKey = owner()
  const failures: unknown[] = []
  const uses = createKeyUses({ owner: apiKey, onFailure: (error) => failures.push(error), keysMax: 20_000, everyMs })
  apiKey.state.silent = true
  for (let i = 0; i < 12_000; i += 1) uses.note(String(i), 't')
  await uses.close()
  expect(failures).toHaveLength(1)
  apiKey.state.silent = false
  await uses.close()
  expect(apiKey.told.map((batch) => batch.length)).toEqual(Array.from({ length: 10 }, () => 1_000))
  expect(new Set(apiKey.told.flat().map((use) => use.api_key_id)).size).toBe(10_000)
  await uses.close()
  expect(apiKey.told).toHaveLength(10)
})

test('a key shows when it was used last', async () => {
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

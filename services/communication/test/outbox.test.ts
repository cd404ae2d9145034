import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createOutbox } from '../src/providers/outbox.ts'
import { buildMessage, providerSuite } from './provider-suite.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const stored = (id: string) =>
  world.rows<{ row: string }>('SELECT to_jsonb(m)::text AS row FROM outbox_messages m WHERE id = $1::uuid', id)

providerSuite(() => ({
  provider: createOutbox(world.db),
  hasReceived: async ({ id }, text) => (await stored(id))[0]?.row.includes(text) === true,
}))

test('stores a message once', async () => {
  const message = buildMessage()
  const outbox = createOutbox(world.db)
  for (let i = 0; i < 2; i += 1) await outbox.send(message, new AbortController().signal)
  expect(await stored(message.id)).toHaveLength(1)
})

import { randomUUID } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from '@jest/globals'
import { createTokens } from '../src/egress/tokens.ts'

const config = {
  type: 'oauth2_client_credentials',
  token_url: 'https://id.example.com/token',
  client_id: 'client',
  client_secret: 'client-secret',
} as const

/** The tokens of a token endpoint whose tokens are as long as they can be, and the number of its tokens. */
function longTokens() {
  const fetched = { count: 0 }
  const tokens = createTokens(async () => {
    fetched.count += 1
    return {
      value: randomUUID()
        .repeat(228)
        .slice(0, 8 * 1024),
      usableMs: 3_600_000,
    }
  })
  const fill = async (tenantId: string) => {
    for (let i = 0; i < 6_000; i += 1) await tokens.get({ id: randomUUID(), tenantId, version: 1 }, config)
  }
  return { fetched, tokens, fill }
}

test('tokens do not grow the heap beyond the bytes of their cache, and those of a tenant not beyond a quarter', async () => {
  const { fetched, fill } = longTokens()
  const before = heapBytes()
  await fill(randomUUID())
  // A quarter of 32 MiB; 6 000 tokens have 48 MB.
  expect(heapBytes() - before).toBeLessThan(12 * 1024 * 1024)
  for (let tenants = 0; tenants < 6; tenants += 1) await fill(randomUUID())
  expect(heapBytes() - before).toBeLessThan(40 * 1024 * 1024)
  expect(fetched.count).toBe(7 * 6_000)
})

test('the tokens of a tenant stay cached while another one has many', async () => {
  const { fetched, tokens, fill } = longTokens()
  const quiet = { id: randomUUID(), tenantId: randomUUID(), version: 1 }
  const token = await tokens.get(quiet, config)
  await fill(randomUUID())
  const before = fetched.count
  expect([await tokens.get(quiet, config), fetched.count]).toEqual([token, before])
})

function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

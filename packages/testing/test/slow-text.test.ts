import { expect, test } from '@jest/globals'
import type { Endpoint } from '@payments/contracts/grammar/contract'
import { z } from 'zod'
import type { GeneratedRequest } from '../src/generators/broken-request.ts'
import { readsQuickly } from '../src/suites/bad-input.ts'

/** The generated test finds a function that is not linear in an endpoint of any contract. */
const endpoint: Endpoint = {
  method: 'POST',
  path: '/v1/planted/{name}',
  audience: 'tenant',
  permission: 'audit:ReadRecord',
  summary: 'Read a text.',
  params: z.strictObject({ name: z.string().max(100) }),
  body: z.strictObject({ text: z.string().max(1_000) }),
  replies: { 204: null },
}

const readBy = (read: (text: string) => unknown) => async (request: GeneratedRequest) => {
  for (const text of Object.values(JSON.parse(String(request.body)))) read(String(text))
  return { status: 204, headers: {}, text: '' }
}

/** Each blank begins a search for the end of the text. */
const quadratic = (text: string) => text.slice(-24_000).replace(/\s+$/, '')
const linear = (text: string) => text.trimEnd()

test('a planted function of quadratic time fails the test of its endpoint', async () => {
  await expect(readsQuickly(endpoint, readBy(quadratic))).rejects.toThrow(/blanks in an unknown field: \d+ ms of \d+/)
})

test('a function of linear time passes', async () => {
  await expect(readsQuickly(endpoint, readBy(linear))).resolves.toBeUndefined()
})

/** @slow It measures planted functions that are slow. */
import { expect, test } from '@jest/globals'
import type { Endpoint } from '@payments/contracts/grammar/contract'
import { z } from 'zod'
import type { GeneratedRequest } from '../src/generators/broken-request.ts'
import { readsQuickly } from '../src/suites/bad-input.ts'

/** The generated test finds a function that is not linear in an endpoint of any contract. */
const body = z.strictObject({
  text: z.string().max(1_000),
  note: z
    .string()
    .max(64 * 1024)
    .optional(),
  url: z.url().max(2_000).optional(),
  payers: z
    .array(
      z.union([
        z.strictObject({ type: z.literal('person'), name: z.string().max(64 * 1024) }),
        z.strictObject({
          type: z.literal('company'),
          register: z
            .string()
            .max(64 * 1024)
            .optional(),
        }),
      ]),
    )
    .max(10)
    .optional(),
})
const endpoint: Endpoint = {
  method: 'POST',
  path: '/v1/planted/{name}',
  audience: 'tenant',
  permission: 'audit:ReadRecord',
  summary: 'Read a text.',
  params: z.strictObject({ name: z.string().max(100) }),
  query: z.strictObject({ search: z.string().max(5_000).optional(), since: z.iso.datetime().optional() }),
  body,
  bodyBytesMax: 80 * 1024,
  replies: { 204: null },
}

const send = (read: (request: GeneratedRequest) => unknown) => async (request: GeneratedRequest) => {
  read(request)
  return { status: 204, headers: {}, text: '' }
}

const parseBody = (request: GeneratedRequest) => JSON.parse(String(request.body))
const readUnknown = (read: (text: string) => unknown) =>
  send((request) => {
    for (const text of Object.values(parseBody(request))) read(String(text))
  })
/** Reads a text of a body that the schema accepts, like a verb. */
const readAccepted = (readText: (value: z.infer<typeof body>) => unknown) =>
  send((request) => {
    const parsed = body.safeParse(parseBody(request))
    if (parsed.success) quadratic(String(readText(parsed.data)))
  })

/** Each blank begins a search for the end of the text. */
const trimSlowly = (text: string) => text.replace(/\s+$/, '')
const quadratic = (text: string) => trimSlowly(text.slice(-24_000))
const linear = (text: string) => text.trimEnd()

const slowIn = (what: string) => new RegExp(`blanks in ${what}: \\d+ ms of \\d+`)

test('a planted function of quadratic time fails the test of its endpoint', async () => {
  await expect(readsQuickly(endpoint, readUnknown(quadratic))).rejects.toThrow(slowIn('an unknown field'))
})

test.each([
  ['an optional text of 64 KiB', readAccepted(({ note }) => note)],
  ['a text of the first alternative', readAccepted(({ payers }) => payers?.map((one) => 'name' in one && one.name))],
  [
    'an optional text of the second alternative',
    readAccepted(({ payers }) => payers?.map((one) => 'register' in one && one.register)),
  ],
])('a planted function of quadratic time that reads %s alone fails the test of its endpoint', async (_, reads) => {
  await expect(readsQuickly(endpoint, reads)).rejects.toThrow(slowIn('accepted texts'))
})

test('a planted function of quadratic time that reads a text beyond its limit fails the test', async () => {
  const reads = send((request) => trimSlowly(String(parseBody(request).url).repeat(2)))
  await expect(readsQuickly(endpoint, reads)).rejects.toThrow(slowIn('texts beyond their limits'))
})

test('a function of linear time passes', async () => {
  await expect(readsQuickly(endpoint, readUnknown(linear))).resolves.toBeUndefined()
})

/** @slow It measures slow functions with every hostile text. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { hostileHeaders, hostileTexts } from '@payments/testing/generators/hostile-text'
import { type Receiver, type Reply, receiver } from '@payments/testing/peers/receiver'
import { slowWorks } from '@payments/testing/runner/held-time'
import { createCredentialMasking } from '../src/domain/auth-info/credential-masking.ts'
import { listSecrets } from '../src/domain/auth-info/credentials.ts'
import { createSender } from '../src/egress/send.ts'
import { type ClientCredentials, createTokenEndpoint } from '../src/egress/token-endpoint.ts'

let endpoint: Receiver
const stop = new AbortController()
const options = { allowPrivate: true, stop: stop.signal }
const sender = createSender({ ...options, limits: { connectTimeoutMs: 10_000, totalTimeoutMs: 20_000 } })
const fetchToken = createTokenEndpoint({ ...options, timeoutMs: 20_000 })
beforeAll(async () => {
  endpoint = await receiver()
})
afterAll(async () => {
  sender.close()
  stop.abort()
  await endpoint.close()
})

/** Names that an attempt stores, in place of those that only requests have. */
const storedNames = ['retry-after', 'server', 'location', 'content-type', 'set-cookie', 'www-authenticate']
const responses = (bytes: number): [string, Reply][] => [
  ...hostileTexts(12_000).flatMap(([what, text]) =>
    storedNames.map((name): [string, Reply] => {
      const value = Buffer.from(text).toString('latin1').slice(0, 12_000)
      return [`${what} in ${name}`, { status: 429, headers: { [name]: value } }]
    }),
  ),
  ...hostileHeaders().map(({ what, headers }): [string, Reply] => [what, { status: 503, headers }]),
  ...hostileTexts(bytes / 4).map(([what, text]): [string, Reply] => [
    `${what} in the body`,
    { status: 500, body: text },
  ]),
]

test('no response of a receiver holds the event loop for long', async () => {
  const works = responses(100_000).map(([what, reply]): [string, () => Promise<void>] => [
    what,
    async () => {
      endpoint.respondWith(() => reply)
      const outcome = await sender.send({ url: endpoint.url, headers: {}, body: Buffer.from('{}') })
      expect(outcome.statusCode).toBe(reply.status)
    },
  ])
  expect(await slowWorks(works)).toEqual([])
})

/** Types of auth infos with a token endpoint. A new one compiles when it is listed. */
const tokenConfigs = {
  oauth2_client_credentials: { type: 'oauth2_client_credentials', client_id: 'a', client_secret: 'hush' },
} as const satisfies Record<ClientCredentials['type'], object>

test('no response of a token endpoint holds the event loop for long', async () => {
  const members = hostileTexts(12_000).map(([what, text]): [string, Reply] => {
    const body = { access_token: text, token_type: text, expires_in: text, error: text, [text.slice(0, 500)]: text }
    return [`${what} in each member`, { status: 200, body: JSON.stringify(body) }]
  })
  const lists = ['[]', '{}', '0'].map((item): [string, Reply] => [
    `many values: ${item}`,
    { status: 200, body: `[${`${item},`.repeat(60_000 / (item.length + 1))}0]` },
  ])
  const works = [...members, ...lists, ...responses(60_000)].map(([what, reply]): [string, () => Promise<void>] => [
    what,
    async () => {
      endpoint.respondWith(() => reply)
      for (const config of Object.values(tokenConfigs)) {
        await expect(fetchToken({ ...config, token_url: endpoint.url })).rejects.toThrow('token endpoint')
      }
    },
  ])
  expect(await slowWorks(works)).toEqual([])
})

/** Credentials of the greatest length, in many parts or with many starts of each other. */
const credentials: [string, Record<string, string>][] = [
  ['one long value', { 'X-Key': 'a'.repeat(4_096) }],
  [
    'four long values',
    Object.fromEntries(['B', 'C', 'D', 'E'].map((name) => [name, `${name} ${'ab+%2b'.repeat(680)}`])),
  ],
  ['many cookies', { Cookie: Array.from({ length: 800 }, (_, i) => `a=${String(i).padStart(3, '0')}`).join(';') }],
  ['180 cookies', { Cookie: Array.from({ length: 180 }, (_, i) => `a${i}=aaaa%2561aaaa${i}`).join(';') }],
]
const bodies = ['x', 'a', 'a+', 'aa%252B', '%252561', '&#97;', 'ab+', '\\u0061']

test('no credential and no response of a receiver make the masking slow', async () => {
  const works = credentials.flatMap(([what, headers]) =>
    bodies.map((unit): [string, () => Promise<void>] => [
      `${what}, ${unit}`,
      async () => {
        const masking = createCredentialMasking(listSecrets({ type: 'custom_headers', headers }))
        masking.bytes(Buffer.from(unit.repeat(16_384 / unit.length)), true)
      },
    ]),
  )
  expect(await slowWorks(works)).toEqual([])
})

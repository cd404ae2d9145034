/** @slow It measures slow functions with every hostile text. */
import { createSecretKey, randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { hostileHeaders, hostileTexts } from '@payments/testing/generators/hostile-text'
import { type Receiver, type Reply, receiver } from '@payments/testing/peers/receiver'
import { slowWorks } from '@payments/testing/runner/held-time'
import type { ProviderName } from '../src/domain/communication.ts'
import { createHttp } from '../src/providers/http.ts'
import type { Provider, SendOutcome } from '../src/providers/provider.ts'
import { createSmtp } from '../src/providers/smtp.ts'
import { buildMessage } from './provider-suite.ts'
import { tcpServer } from './smtp-world.ts'

let endpoint: Receiver
let http: Provider
/** The response to each line of a session. Undefined: none. */
let responseTo: (line: string) => string | undefined = () => undefined
let smtpServer: Awaited<ReturnType<typeof tcpServer>>
let smtp: Provider
beforeAll(async () => {
  endpoint = await receiver()
  const key = createSecretKey(randomBytes(32))
  http = createHttp({ url: endpoint.url, key, fromAddress: 'noreply@example.com' })
  smtpServer = await tcpServer(respondToLines)
  smtp = createSmtp({
    host: '127.0.0.1',
    port: smtpServer.port,
    tls: 'optional',
    credentials: { user: 'app', pass: 'secret' },
    fromAddress: 'noreply@example.com',
  })
})
afterAll(async () => {
  await Promise.all([endpoint.close(), smtpServer.close()])
})

/** A session of SMTP. The message ends with a dot. */
function respondToLines(socket: Socket): void {
  let received = ''
  let isMessage = false
  const send = (line: string) => {
    const reply = responseTo(line)
    if (line === 'DATA') isMessage = reply?.startsWith('354') === true
    if (reply !== undefined) socket.write(`${reply}\r\n`)
  }
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
    const lines = received.split('\r\n')
    received = lines.pop() ?? ''
    for (const line of lines) {
      if (isMessage && line !== '.') continue
      isMessage = false
      send(line)
    }
  })
  send('greeting')
}

const textMax = 500

/** The text of the provider that an outcome has. */
function readText(outcome: SendOutcome): string | null {
  if (outcome.kind === 'accepted') return outcome.providerMessageId
  return outcome.kind === 'refused' ? outcome.detail : outcome.reason
}

/** An outcome that can be stored and shown, whatever the provider wrote. */
function expectStorable(outcome: SendOutcome): void {
  const text = readText(outcome) ?? 'none'
  expect(text).toMatch(/^[^\p{Cc}\p{Cs}]+$/u)
  expect(text.length).toBeLessThanOrEqual(textMax)
}

const sent = (provider: Provider) => async () =>
  expectStorable(await provider.send(buildMessage(), AbortSignal.timeout(20_000)))

const bodyMax = 60_000
const deep = '['.repeat(bodyMax / 2) + ']'.repeat(bodyMax / 2)
const bodies = (): [string, string | Buffer][] => [
  ...hostileTexts(bodyMax / 4).flatMap(([what, text]): [string, string][] => [
    [what, text],
    [`${what} as id and error`, JSON.stringify({ id: text, error: text, [text]: text })],
  ]),
  ...hostileTexts(textMax).map(([what, text]): [string, string] => [
    `short ${what}`,
    JSON.stringify({ id: text, error: text }),
  ]),
  ...['[]', '{}', '0', 'null'].map((item): [string, string] => {
    return [`many ${item}`, `[${`${item},`.repeat(bodyMax / (item.length + 1) - 1)}${item}]`]
  }),
  ['deep lists', deep],
  ['deep lists in a member', `{"id":${deep.slice(5, -5)}}`],
  ['no text', randomBytes(bodyMax)],
  ['values of other types', '{"id":5,"error":{}}'],
  ['halves of surrogate pairs', '{"id":"\\ud800","error":"\\udc00\\ud800"}'],
]

/** The responses of an honest server. */
const honest: readonly (readonly [start: string, reply: string])[] = [
  ['greeting', '220 ready'],
  ['EHLO', '250-hello\r\n250 AUTH LOGIN PLAIN'],
  ['HELO', '250 hello'],
  ['AUTH', '235 welcome'],
  ['MAIL', '250 sender'],
  ['RCPT', '250 recipient'],
  ['DATA', '354 send it'],
  ['.', '250 queued'],
]

/** Replies with the text: in one line, in many, and as a line without a code. */
function repliesWith(reply: string, text: string): string[] {
  const code = reply.slice(0, 3)
  const parts = text.match(/.{1,20}/gsu) ?? []
  return [`550 ${text}`, [...parts.map((part) => `${code}-${part}`), `${code} end`].join('\r\n'), text]
}

type Work = [string, () => Promise<void>]

function worksOfHttp(): Work[] {
  const replies = [200, 422, 500].flatMap((status) =>
    bodies().map(([what, body]): [string, Reply] => [`${status}: ${what}`, { status, body }]),
  )
  const headers = hostileHeaders().map(({ what, headers }): [string, Reply] => [
    what,
    { status: 422, headers, body: '{}' },
  ])
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 'a'))
  const compressed: [string, Reply] = ['64 MiB', { status: 200, headers: { 'content-encoding': 'gzip' }, body: bomb }]
  return [...replies, ...headers, compressed].map(
    ([what, reply]): Work => [
      what,
      () => {
        endpoint.respondWith(() => reply)
        return sent(http)()
      },
    ],
  )
}

function worksOfSmtp(): Work[] {
  const texts = hostileTexts(bodyMax / 4)
  return honest.flatMap(([stage, reply]) =>
    texts.flatMap(([what, text]) =>
      repliesWith(reply, text).map(
        (hostile, form): Work => [
          `${what} after ${stage}, form ${form}`,
          () => {
            responseTo = (line) =>
              line.startsWith(stage) ? hostile : honest.find(([start]) => line.startsWith(start))?.[1]
            return sent(smtp)()
          },
        ],
      ),
    ),
  )
}

/** A new provider compiles when its responses are listed. `outbox` calls no provider. */
const works = { http: worksOfHttp, smtp: worksOfSmtp } satisfies Record<Exclude<ProviderName, 'outbox'>, () => Work[]>

test.each(Object.entries(works))(
  'no response of a provider of %s holds the event loop for long, and its outcome can be stored',
  async (_, buildWorks) => expect(await slowWorks(buildWorks())).toEqual([]),
)

test('the stand-in of an SMTP server accepts a message', async () => {
  responseTo = (line) => honest.find(([start]) => line.startsWith(start))?.[1]
  expect((await smtp.send(buildMessage(), AbortSignal.timeout(20_000))).kind).toBe('accepted')
})

import { domainToASCII } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { until } from '@payments/testing/services/until'
import type { SMTPServerOptions } from 'smtp-server'
import { createSmtp, type SmtpOptions } from '../src/providers/smtp.ts'
import { buildMessage, providerSuite } from './provider-suite.ts'
import { type Mailbox, mailServer, smtpError, tcpServer } from './smtp-world.ts'

const toAscii = (address: string) => address.replace(/[^@]*$/, domainToASCII)
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function serverWith(options: SMTPServerOptions = {}): Promise<Mailbox> {
  const server = await mailServer(options)
  closers.push(() => server.close())
  return server
}

const smtpAt = (port: number, changes: Partial<SmtpOptions> = {}) =>
  createSmtp({
    host: '127.0.0.1',
    port,
    tls: 'optional',
    credentials: null,
    fromAddress: 'noreply@payments.example.com',
    ...changes,
  })

const sendAt = (port: number, changes: Partial<SmtpOptions> = {}, message = buildMessage()) =>
  smtpAt(port, changes).send(message, AbortSignal.timeout(20_000))

describe('on a server that accepts', () => {
  let mailbox: Mailbox
  beforeEach(async () => {
    mailbox = await serverWith()
  })

  providerSuite(() => ({
    provider: smtpAt(mailbox.port),
    hasReceived: async ({ id }, text) =>
      mailbox.mails.some(({ source }) => source.includes(`<${id}@payments.example.com>`) && source.includes(text)),
  }))

  test('the Message-ID is that of the communication, and the same for each attempt', async () => {
    const message = buildMessage()
    const outcomes = [await sendAt(mailbox.port, {}, message), await sendAt(mailbox.port, {}, message)]
    const providerMessageId = `<${message.id}@payments.example.com>`
    expect(outcomes).toEqual(Array(2).fill({ kind: 'accepted', providerMessageId }))
    for (const { source } of mailbox.mails) expect(source).toContain(`Message-ID: ${providerMessageId}\r\n`)
  })

  test('no part of a message adds a header or a recipient', async () => {
    const injected = 'x\r\nBcc: evil@example.com\r\n\r\nbody'
    const message = buildMessage({ subject: injected, fromName: injected, text: 'Text' })
    expect(await sendAt(mailbox.port, {}, message)).toMatchObject({ kind: 'accepted' })
    const [mail] = mailbox.mails
    expect([mail?.from, mail?.to]).toEqual(['noreply@payments.example.com', ['payer@example.com']])
    const [headers = ''] = mail?.source.split('\r\n\r\n') ?? []
    expect(headers.replaceAll(/\r\n[ \t]+/g, ' ').match(/^Bcc:/im)).toBeNull()
  })

  test('a server without TLS gets no message where TLS is required', async () => {
    const outcome = await sendAt(mailbox.port, { tls: 'required' })
    expect(outcome).toEqual({ kind: 'unavailable', reason: 'SMTP 500 to STARTTLS' })
    expect(mailbox.mails).toEqual([])
  })
})

test('a server with a self-signed certificate gets no message', async () => {
  const { port, mails } = await serverWith({ disabledCommands: [] })
  for (const tls of ['required', 'optional'] as const)
    expect(await sendAt(port, { tls })).toMatchObject({ kind: 'unavailable' })
  expect(mails).toEqual([])
})

test('logs in, and a refused login is temporary', async () => {
  const authentication: SMTPServerOptions = {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right' ? done(null, { user: username }) : done(smtpError(535, 'No')),
  }
  const { port, mails } = await serverWith(authentication)
  const wrong = await sendAt(port, { credentials: { user: 'app', pass: 'wrong' } })
  expect(wrong).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining('535') })
  expect(await sendAt(port, { credentials: { user: 'app', pass: 'right' } })).toMatchObject({ kind: 'accepted' })
  expect(mails).toHaveLength(1)
})

test.each<[string, SMTPServerOptions, object]>([
  [
    'a 5xx to the recipient is for good',
    { onRcptTo: (_to, _session, done) => done(smtpError(550, 'No such mailbox')) },
    { kind: 'refused', detail: expect.stringContaining('No such mailbox') },
  ],
  [
    'a 5xx to the message is for good',
    {
      onData: (stream, _session, done) => {
        stream.resume()
        stream.on('end', () => done(smtpError(554, 'Looks like spam')))
      },
    },
    { kind: 'refused', detail: expect.stringContaining('Looks like spam') },
  ],
  [
    'a 4xx to the recipient is temporary',
    { onRcptTo: (_to, _session, done) => done(smtpError(451, 'Later')) },
    { kind: 'unavailable', reason: 'SMTP 451 to RCPT TO' },
  ],
  [
    'a 5xx to the sender is temporary, since the operator corrects it',
    { onMailFrom: (_from, _session, done) => done(smtpError(550, 'Not your domain')) },
    { kind: 'unavailable', reason: 'SMTP 550 to MAIL FROM' },
  ],
])('%s', async (_what, options, outcome) => {
  const { port } = await serverWith(options)
  expect(await sendAt(port)).toEqual(outcome)
})

test.each([
  ['ada@bücher.example', ['ada@xn--bcher-kva.example']],
  ['ada@例え.テスト', ['ada@xn--r8jz45g.xn--zckzah']],
  ['o&m/sales@example.com', ['o&m/sales@example.com']],
  ['ada@example.xn--p1ai', ['ada@example.xn--p1ai']],
])('sends to %s, whose domain a server gets in ASCII', async (recipient, expected) => {
  const mailbox = await serverWith({ hideSMTPUTF8: true })
  expect(await sendAt(mailbox.port, {}, buildMessage({}, recipient))).toMatchObject({ kind: 'accepted' })
  // The server decodes domains.
  expect(mailbox.mails.map(({ to }) => to.map((address) => toAscii(address)))).toEqual([expected])
})

test('sends to a mailbox beyond ASCII on a server with SMTPUTF8, and says so on any other', async () => {
  const [able, unable] = [await serverWith({ hideSMTPUTF8: false }), await serverWith({ hideSMTPUTF8: true })]
  const message = buildMessage({}, 'müller@bücher.example')
  expect(await sendAt(able.port, {}, message)).toMatchObject({ kind: 'accepted' })
  expect(able.mails.flatMap(({ to }) => to.map(toAscii))).toEqual(['müller@xn--bcher-kva.example'])
  expect(await sendAt(unable.port, {}, message)).toEqual({
    kind: 'refused',
    detail: 'The mail server takes no address with characters beyond ASCII',
  })
  expect(unable.mails).toEqual([])
})

test.each([
  ['ada@ü^.example', 'The domain of the address has no name in ASCII'],
  ['"<ada>"@example.com', 'SMTP cannot send to the address'],
])('refuses %s for good, with the reason', async (recipient, detail) => {
  const mailbox = await serverWith()
  expect(await sendAt(mailbox.port, {}, buildMessage({}, recipient))).toEqual({ kind: 'refused', detail })
  expect(mailbox.mails).toEqual([])
})

test('a silent server ends at the deadline, and its connection is closed', async () => {
  const server = await tcpServer(() => {})
  closers.push(server.close)
  const outcome = await smtpAt(server.port).send(buildMessage(), AbortSignal.timeout(300))
  expect(outcome).toEqual({ kind: 'unavailable', reason: 'timeout' })
  await until(() => [...server.sockets].every(({ readableEnded, destroyed }) => readableEnded || destroyed))
})

test('a server that closes mid-way, and none at all, are temporary', async () => {
  const server = await tcpServer((socket) => {
    socket.write('220 ready\r\n')
    socket.on('data', () => socket.destroy())
  })
  closers.push(server.close)
  expect(await sendAt(server.port)).toMatchObject({ kind: 'unavailable' })
  const gone = await tcpServer(() => {})
  await gone.close()
  expect(await sendAt(gone.port)).toMatchObject({ kind: 'unavailable' })
})

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@payments/testing/services/until'
import { pino } from 'pino'
import { createSmtp } from '../src/providers/smtp.ts'
import { type Mailbox, mailServer, smtpError } from './smtp-world.ts'
import { startWorld, type World } from './world.ts'

const lines: string[] = []
let mailbox: Mailbox
let world: World
beforeAll(async () => {
  mailbox = await mailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (_authentication, _session, done) => done(null, { user: 'app' }),
    onRcptTo: ({ address }, _session, done) =>
      address.startsWith('refused') ? done(smtpError(550, `No mailbox ${address}`)) : done(),
  })
  const provider = createSmtp({
    host: '127.0.0.1',
    port: mailbox.port,
    tls: 'optional',
    credentials: { user: 'app', pass: 'secret-4711' },
    fromAddress: 'noreply@example.com',
  })
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  world = await startWorld({ provider, log })
  world.startLoop()
})
afterAll(async () => {
  await world.stop()
  await mailbox.close()
})

test('one line per attempt has the decision, and no line has a recipient, a text, a variable or a secret', async () => {
  const tenant = world.tenant()
  const { body: template } = await tenant.template()
  const parts = { template_id: template.id, variables: { name: 'variable-4711' }, subject: undefined, text: undefined }
  const sent = (await tenant.send(parts)).body
  const texts = { subject: 'subject-4711', text: 'text-4711', html: '<p>html-4711</p>' }
  const failed = (await tenant.send({ ...texts, recipient: 'refused-4711@example.com' })).body
  await tenant.send({ recipient: 'recipient-4711' })
  await until(async () => (await tenant.events()).length === 3)
  const attempts = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'attempt')
  const of = (id: string) => attempts.filter((line) => line.communication_id === id)
  expect(of(sent.id)).toMatchObject([{ tenant_id: tenant.id, provider: 'smtp', attempt: 1, outcome: 'accepted' }])
  expect(of(failed.id)).toMatchObject([{ tenant_id: tenant.id, provider: 'smtp', attempt: 1, outcome: 'refused' }])
  expect(lines.join('')).not.toMatch(/4711|payer@example/)
})

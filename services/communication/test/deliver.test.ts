import { afterEach, expect, test } from '@jest/globals'
import { claimDue } from '@payments/chassis/process/claim-loop'
import { until } from '@payments/testing/services/until'
import { deliver } from '../src/delivery/deliver.ts'
import { dueMessages } from '../src/delivery/loop.ts'
import { nextAttemptAt } from '../src/domain/retry-schedule.ts'
import { createSmtp } from '../src/providers/smtp.ts'
import { type Mailbox, mailServer, smtpError, tcpServer } from './smtp-world.ts'
import { startWorld, type World } from './world.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const smtpOptions = {
  host: '127.0.0.1',
  tls: 'optional',
  credentials: null,
  fromAddress: 'noreply@example.com',
} as const

/** A world that sends email to the SMTP server at a port. */
async function smtpWorld(port: number): Promise<World> {
  const world = await startWorld({ provider: createSmtp({ ...smtpOptions, port }) })
  closers.push(() => world.stop())
  return world
}

async function serverWith(options: Parameters<typeof mailServer>[0] = {}): Promise<Mailbox> {
  const server = await mailServer(options)
  closers.push(() => server.close())
  return server
}

async function closedPort(): Promise<number> {
  const { port, close } = await tcpServer(() => {})
  await close()
  return port
}

const readRow = async (world: World, id: string) => {
  const sql = `SELECT status::text, content, error, attempt_count, extract(epoch FROM due_at)::float8 AS due_at
    FROM communications WHERE id = $1::uuid`
  const [row] = await world.rows<{ status: string; content: unknown; attempt_count: number; due_at: number }>(sql, id)
  if (row === undefined) throw new Error('no such communication')
  return row
}

/** Claims as a loop does, at the present of the world's clock. */
const claim = async (world: World, limit = 16) => {
  const allowance = { limit, perTenantMax: limit, inProgress: new Map() }
  return (await claimDue(dueMessages(world.delivery), allowance)).claimed
}

test('sends a queued message at once, records it with its event, and deletes its text', async () => {
  const mailbox = await serverWith()
  const world = await smtpWorld(mailbox.port)
  world.startLoop()
  const tenant = world.tenant()
  const { body } = await tenant.send()
  await until(async () => (await tenant.read(body.id)).status === 'sent')
  const sent = await tenant.read(body.id)
  expect(sent).toEqual({
    ...body,
    status: 'sent',
    provider: 'smtp',
    provider_message_id: `<${body.id}@example.com>`,
    sent_at: sent.sent_at,
  })
  expect(mailbox.mails).toHaveLength(1)
  expect((await readRow(world, body.id)).content).toBeNull()
  const [event, ...others] = await tenant.events()
  expect(others).toEqual([])
  expect(event).toMatchObject({
    type: 'communication.communications.send',
    business_unit_id: tenant.unitId,
    payload: { communication: sent },
  })
})

test('a refused message fails at once with the reason, and emits an event', async () => {
  const refusing = await serverWith({ onRcptTo: (_to, _session, done) => done(smtpError(550, 'No such mailbox')) })
  const world = await smtpWorld(refusing.port)
  world.startLoop()
  const tenant = world.tenant()
  const { body } = await tenant.send()
  await until(async () => (await tenant.read(body.id)).status === 'failed')
  const failed = await tenant.read(body.id)
  expect(failed.error).toEqual({ code: 'refused', detail: expect.stringContaining('No such mailbox') })
  const events = await tenant.events()
  expect(events).toMatchObject([
    { type: 'communication.communications.send.failed', payload: { communication: failed } },
  ])
  expect(await readRow(world, body.id)).toMatchObject({ content: null, due_at: null })
})

/** The first attempt is recorded: the message is due again after the first delay, not at the end of a lease. */
async function isAttempted(world: World, id: string): Promise<boolean> {
  const { attempt_count: attempts, due_at: dueAt } = await readRow(world, id)
  return attempts === 1 && dueAt * 1_000 < Date.now() + 10_001
}

test('a provider that is down delays a message and loses nothing', async () => {
  const world = await smtpWorld(await closedPort())
  const loop = world.startLoop()
  const tenant = world.tenant()
  const sent = await Promise.all(Array.from({ length: 20 }, () => tenant.send()))
  const ids = sent.map(({ body }) => body.id as string)
  for (const id of ids) await until(() => isAttempted(world, id))
  expect(await tenant.events()).toEqual([])
  const mailbox = await serverWith()
  const provider = createSmtp({ ...smtpOptions, port: mailbox.port })
  // The operator starts the process again with a provider that responds.
  await loop.stop()
  world.clock.offsetMs = 11_000
  world.startLoop({ providers: { EMAIL: provider, SMS: provider } })
  await until(async () => (await tenant.events()).length === ids.length)
  expect(mailbox.mails).toHaveLength(ids.length)
})

test('attempts after 0 s, 10 s, 1 min, 5 min, 30 min, 2 h, then hourly for 24 h, then fails', async () => {
  const world = await smtpWorld(await closedPort())
  const tenant = world.tenant()
  const { body } = await tenant.send()
  const waits: number[] = []
  while ((await tenant.read(body.id)).status === 'queued') {
    const { due_at: dueAt } = await readRow(world, body.id)
    world.clock.offsetMs = Math.max(world.clock.offsetMs, dueAt * 1_000 - Date.now() + 1)
    const [claimed] = await claim(world)
    if (claimed === undefined) throw new Error('nothing is due')
    const attemptedAt = world.deps.now().getTime()
    await deliver(world.delivery, claimed)
    const after = await readRow(world, body.id)
    if (after.due_at !== null) waits.push(Math.round((after.due_at * 1_000 - attemptedAt) / 10_000) * 10)
  }
  expect(waits).toEqual([10, 60, 300, 1_800, 7_200, ...Array(24).fill(3_600)])
  expect((await tenant.read(body.id)).error).toEqual({
    code: 'provider_unavailable',
    detail: '30 attempts failed',
  })
  expect((await tenant.events()).map(({ type }) => type)).toEqual(['communication.communications.send.failed'])
})

test('a crash between provider and record sends again with the same id after the lease, and ends once', async () => {
  const mailbox = await serverWith()
  const world = await smtpWorld(mailbox.port)
  const tenant = world.tenant()
  const { body } = await tenant.send()
  const [claimed] = await claim(world)
  if (claimed === undefined) throw new Error('nothing is due')
  // The process ends after the provider has accepted the message.
  await world.deps.providers.EMAIL.send(claimed, new AbortController().signal)
  expect(await claim(world)).toEqual([])
  world.clock.offsetMs = 60_001
  world.startLoop()
  await until(async () => (await tenant.read(body.id)).status === 'sent')
  const messageIds = mailbox.mails.map(({ source }) => /^Message-ID: (.*)\r$/m.exec(source)?.[1])
  expect(messageIds).toEqual(Array(2).fill(`<${body.id}@example.com>`))
  // The late record of the first attempt changes nothing.
  await deliver(world.delivery, claimed)
  expect(await tenant.events()).toHaveLength(1)
})

test('a message whose processes all ended before the record fails, and is not sent again', async () => {
  const mailbox = await serverWith()
  const world = await smtpWorld(mailbox.port)
  const tenant = world.tenant()
  const { body } = await tenant.send()
  await world.rows('UPDATE communications SET attempt_count = 30 WHERE id = $1::uuid RETURNING 1', body.id)
  world.startLoop()
  await until(async () => (await tenant.read(body.id)).status === 'failed')
  expect((await tenant.read(body.id)).error?.code).toBe('provider_unavailable')
  expect(mailbox.mails).toEqual([])
})

test('an error in a provider counts as a failed attempt', async () => {
  const world = await startWorld({ provider: createSmtp({ ...smtpOptions, host: 'bad host name', port: -1 }) })
  closers.push(() => world.stop())
  const tenant = world.tenant()
  const { body } = await tenant.send()
  world.startLoop()
  await until(() => isAttempted(world, body.id))
  expect(await readRow(world, body.id)).toMatchObject({ status: 'queued', attempt_count: 1 })
})

test('two processes at once send each message once', async () => {
  const mailbox = await serverWith()
  const world = await smtpWorld(mailbox.port)
  const tenant = world.tenant()
  await Promise.all(Array.from({ length: 50 }, () => tenant.send()))
  for (let i = 0; i < 2; i += 1) world.startLoop()
  await until(async () => (await tenant.events()).length === 50)
  expect(mailbox.mails).toHaveLength(50)
  expect(new Set((await tenant.events()).map(({ type }) => type))).toEqual(
    new Set(['communication.communications.send']),
  )
})

test('at most 16 attempts are in progress, and a stopping process records each of them', async () => {
  let concurrent = 0
  let most = 0
  const slow = await serverWith({
    onRcptTo: (_to, _session, done) => {
      concurrent += 1
      most = Math.max(most, concurrent)
      setTimeout(() => {
        concurrent -= 1
        done()
      }, 200)
    },
  })
  const world = await smtpWorld(slow.port)
  const tenants = Array.from({ length: 5 }, () => world.tenant())
  await Promise.all(tenants.flatMap((tenant) => Array.from({ length: 8 }, () => tenant.send())))
  const loop = world.startLoop()
  await until(() => most === 16)
  await loop.stop()
  const started = await world.rows('SELECT 1 FROM communications WHERE attempt_count > 0')
  const events = await Promise.all(tenants.map((tenant) => tenant.events()))
  expect(events.flat()).toHaveLength(started.length)
  expect(slow.mails).toHaveLength(started.length)
  expect(started.length).toBeLessThan(40)
  expect(most).toBe(16)
})

test('a silent provider ends at the deadline as a failed attempt', async () => {
  const silent = await tcpServer(() => {})
  closers.push(silent.close)
  const world = await smtpWorld(silent.port)
  const tenant = world.tenant()
  const { body } = await tenant.send()
  world.startLoop({ sendTimeoutMs: 200 })
  await until(() => isAttempted(world, body.id))
  expect(await readRow(world, body.id)).toMatchObject({ status: 'queued', attempt_count: 1 })
})

test('the schedule has thirty attempts', () => {
  const now = new Date('2026-01-01T00:00:00.000Z')
  expect(nextAttemptAt(1, now)).toEqual(new Date('2026-01-01T00:00:10.000Z'))
  expect(nextAttemptAt(29, now)).toEqual(new Date('2026-01-01T01:00:00.000Z'))
  expect(nextAttemptAt(30, now)).toBeNull()
})

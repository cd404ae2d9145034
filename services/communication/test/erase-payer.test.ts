import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { erasePayers, erasureTurns, purgeErasures } from '@payments/service/payers/erasures'
import { addressHashes } from '@payments/service/payers/hashes'
import { until } from '@payments/testing/services/until'
import { messageEraser } from '../src/erasure/messages.ts'
import { erasuresAt } from './erasures.ts'
import { startWorld, type World } from './world.ts'

let world: World
let erasures: ReturnType<typeof erasuresAt>
beforeAll(async () => {
  world = await startWorld()
  erasures = erasuresAt(world)
})
afterAll(() => world.stop())

test('erases a payer of another script, and no other mailbox', async () => {
  const tenant = world.tenant()
  const [anne, kelvin] = [`ÄNNE.${randomUUID()}`, `\u212aate.${randomUUID()}@example.com`]
  const loop = world.startLoop()
  const sent = (await tenant.send({ recipient: `${anne}@BÜCHER.example` })).body
  const other = (await tenant.send({ recipient: kelvin })).body
  for (const { id } of [sent, other]) await until(async () => (await tenant.read(id)).status === 'sent')
  await loop.stop()
  await erasures.begin(tenant, `${anne}@bücher.example`)
  await erasures.begin(tenant, kelvin.replace('\u212a', 'k'))
  await erasures.run(tenant)
  expect((await tenant.read(sent.id)).recipient).toBe('erased')
  expect((await tenant.read(other.id)).recipient).toBe(kelvin)
})

/** They are deleted a day after their publication, and after 7 days. */
const copies = ['outbox_events', 'outbox_messages']

test('erases a payer in every spelling, and nothing of another tenant or payer', async () => {
  const [tenant, stranger] = [world.tenant(), world.tenant()]
  const mailbox = `ada.${randomUUID()}`
  const [plain, tagged, other] = [
    `${mailbox}@example.com`,
    `${mailbox.toUpperCase()}+shop@Example.com`,
    'b@example.com',
  ]
  const loop = world.startLoop()
  const sent = [await tenant.send({ recipient: plain }), await tenant.send({ recipient: tagged })]
  const [another, foreign] = [await tenant.send({ recipient: other }), await stranger.send({ recipient: plain })]
  await until(async () => (await stranger.read(foreign.body.id)).status === 'sent')
  await until(async () => (await tenant.read(sent[1]?.body.id)).status === 'sent')
  await loop.stop()
  const started = await erasures.begin(tenant, plain)
  await erasures.run(tenant)
  for (const { body } of sent) {
    expect(await tenant.read(body.id)).toMatchObject({ recipient: 'erased', status: 'sent', provider_message_id: null })
  }
  expect((await tenant.read(another.body.id)).recipient).toBe(other)
  expect((await stranger.read(foreign.body.id)).recipient).toBe(plain)
  const reports = (await tenant.events()).filter(({ type }) => type === 'communication.payers.erased')
  expect(reports.map(({ payload }) => payload)).toEqual([
    { erasure_id: started.id, service: 'communication', resources: sent.length },
  ])
  await erasures.complete(tenant, started.id)
  expect((await erasures.read(started.id)).completed_at).not.toBeNull()
  expect(await erasures.tablesWith(tenant, mailbox)).toEqual(copies)
  expect(await erasures.tablesWith(stranger, mailbox)).toContain('communications')
})

test('a queued message is not sent, and fails with its event', async () => {
  const tenant = world.tenant()
  const recipient = `queued.${randomUUID()}@example.com`
  const { id } = (await tenant.send({ recipient }, { 'Idempotency-Key': 'queued' })).body
  const started = await erasures.begin(tenant, recipient)
  await erasures.run(tenant)
  expect(await tenant.read(id)).toMatchObject({ recipient: 'erased', status: 'failed', error: { code: 'refused' } })
  const failed = (await tenant.events()).find(({ type }) => type === 'communication.communications.send.failed')
  expect(failed?.payload).toMatchObject({ communication: { id, recipient: 'erased' } })
  const repeated = await tenant.send({ recipient }, { 'Idempotency-Key': 'queued' })
  expect(repeated.body).toMatchObject({ id })
  const loop = world.startLoop()
  expect(await tenant.outbox()).toEqual([])
  await loop.stop()
  expect((await erasures.read(started.id)).services).toMatchObject([
    { service: 'payment-proxy', completed_at: null },
    { service: 'invite-to-pay', completed_at: null },
    { service: 'communication', completed_at: null },
  ])
})

test('the failure of a message that was attempted says that it may have been sent', async () => {
  const tenant = world.tenant()
  const recipient = `attempted.${randomUUID()}@example.com`
  const [waiting, attempted] = [(await tenant.send({ recipient })).body, (await tenant.send({ recipient })).body]
  await world.rows('UPDATE communications SET attempt_count = 1 WHERE id = $1::uuid', attempted.id)
  await erasures.begin(tenant, recipient)
  await erasures.run(tenant)
  const readDetail = async (id: string) => (await tenant.read(id)).error?.detail
  expect(await readDetail(waiting.id)).toBe('The payer was erased before the message was sent')
  expect(await readDetail(attempted.id)).toContain('it may have been sent')
})

test('begins a minute after the request, and erases the message of a request in progress', async () => {
  const tenant = world.tenant()
  const recipient = `late.${randomUUID()}@example.com`
  await erasures.begin(tenant, recipient)
  const { id } = (await tenant.send({ recipient })).body
  const run = () => erasePayers(world.deps, erasureTurns(), messageEraser)
  await run()
  expect((await tenant.read(id)).recipient).toBe(recipient)
  const due = await world.rows(
    `SELECT due_at - requested_at = interval '1 minute' AS "inAMinute" FROM payer_erasures WHERE tenant_id = $1::uuid`,
    tenant.id,
  )
  expect(due).toEqual([{ inAMinute: true }])
  await erasures.run(tenant)
  expect((await tenant.read(id)).recipient).toBe('erased')
})

test('a message that was requested after the erasure stays, and is sent', async () => {
  const tenant = world.tenant()
  const recipient = `new.${randomUUID()}@example.com`
  await erasures.begin(tenant, recipient)
  await erasures.requestedBefore(tenant, 60 * 60)
  const { id } = (await tenant.send({ recipient })).body
  await erasures.run(tenant)
  const loop = world.startLoop()
  await until(async () => (await tenant.read(id)).status === 'sent')
  await loop.stop()
  expect(await tenant.read(id)).toMatchObject({ recipient, status: 'sent' })
})

/** The requests to services, oldest first. */
const listRequests = (tenant: ReturnType<World['tenant']>) =>
  world.rows<{ payload: object }>(
    `SELECT payload FROM outbox_events WHERE tenant_id = $1::uuid AND type = 'communication.payers.erase'
     ORDER BY sequence`,
    tenant.id,
  )

test('a repeated request with the id is sent to the services again, until the erasure is complete', async () => {
  const tenant = world.tenant()
  const recipient = `twice.${randomUUID()}@example.com`
  const sent = (await tenant.send({ recipient })).body
  const started = await erasures.begin(tenant, recipient)
  await erasures.run(tenant)
  await world.rows('UPDATE communications SET recipient = $2 WHERE id = $1::uuid', sent.id, recipient)
  expect(await erasures.begin(tenant, recipient.toUpperCase(), started.id)).toMatchObject({
    id: started.id,
    requested_at: started.requested_at,
  })
  const [first, second] = await listRequests(tenant)
  expect(second?.payload).toEqual({ ...first?.payload, recipient: recipient.toUpperCase() })
  await erasures.run(tenant)
  expect((await tenant.read(sent.id)).recipient).toBe('erased')
  const reports = (await tenant.events()).filter(({ type }) => type === 'communication.payers.erased')
  expect(reports.map(({ payload }) => payload)).toMatchObject([{ resources: 1 }, { resources: 2 }])
  await erasures.complete(tenant, started.id)
  const complete = await erasures.begin(tenant, recipient, started.id)
  expect(complete).toEqual(await erasures.read(started.id))
  expect(await listRequests(tenant)).toHaveLength(2)
  expect(started).toMatchObject({ tenant_id: tenant.id, requested_by: 'ops', reason: 'request of the payer' })
  expect(JSON.stringify(started)).not.toContain(recipient)
})

test('rejects a repeated request with the id of an erasure of another payer, and emits nothing', async () => {
  const tenant = world.tenant()
  const started = await erasures.begin(tenant, 'mine@example.com')
  const before = await listRequests(tenant)
  const body = { erasure_id: started.id, recipient: 'theirs@example.com', requested_by: 'ops' }
  const reply = await world.asOperator.post(`/internal/tenants/${tenant.id}/payer-erasures`, body).expect(409)
  expect(reply.body.code).toBe('payer_erasure_of_another_payer')
  expect(await listRequests(tenant)).toEqual(before)
})

test('after the erasure a keyed hash of the address remains for 90 days', async () => {
  const tenant = world.tenant()
  await erasures.begin(tenant, 'hash@example.com')
  const left = () =>
    world.rows('SELECT address, address_hash FROM payer_erasures WHERE tenant_id = $1::uuid', tenant.id)
  const age = (days: number) =>
    world.rows(
      `UPDATE payer_erasures SET created_at = now() - $2::int * interval '1 day' WHERE tenant_id = $1::uuid`,
      tenant.id,
      days,
    )
  const purge = () => world.deps.db.acrossTenants((tx) => purgeErasures(tx))
  await age(91)
  await purge()
  const [hash] = addressHashes(world.deps.payerHashKeys, tenant.id, 'hash@example.com')
  expect(await left()).toEqual([{ address: 'hash@example.com', address_hash: Buffer.from(hash) }])
  await erasures.run(tenant)
  expect(await left()).toEqual([{ address: null, address_hash: Buffer.from(hash) }])
  await age(89)
  await purge()
  expect(await left()).toHaveLength(1)
  await age(91)
  await purge()
  expect(await left()).toEqual([])
})

test.each([
  ['recipient', { recipient: 'nobody' }],
  ['erasure_id', { erasure_id: 'x' }],
  ['reason', { reason: 'x'.repeat(501) }],
])('rejects a wrong %s, and stores nothing', async (field, wrong) => {
  const tenant = world.tenant()
  const body = { erasure_id: randomUUID(), recipient: 'a@example.com', requested_by: 'ops', ...wrong }
  const reply = await world.asOperator.post(`/internal/tenants/${tenant.id}/payer-erasures`, body).expect(400)
  expect(reply.body.errors).toMatchObject([{ pointer: `/${field}` }])
  expect(await tenant.events()).toEqual([])
})

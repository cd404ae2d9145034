import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { EventMessage } from '@payments/contracts/grammar/event'
import type { PayerErasure } from '@payments/contracts/services/communication/payers'
import { erasureTurns, runErasures } from '@payments/payer-erasure/run-erasures'
import { until } from '@payments/testing/services/until'
import { erasureJob } from '../src/erasure/steps.ts'
import { recordErasureReport } from '../src/verbs/record-erasure-report.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

type Tenant = ReturnType<World['tenant']>

const begin = async (tenant: Tenant, recipient: string, erasureId: string = randomUUID()) =>
  (
    await world.asOperator
      .post(`/internal/tenants/${tenant.id}/payer-erasures`, {
        erasure_id: erasureId,
        recipient,
        reason: 'request of the payer',
        requested_by: 'ops',
      })
      .expect(202)
  ).body as PayerErasure

const run = () => runErasures(world.db, erasureTurns(), erasureJob)
const read = async (id: string) =>
  (await world.asOperator.get(`/internal/payer-erasures/${id}`).expect(200)).body as PayerErasure
const secondPassIsDue = (tenant: Tenant) =>
  world.rows(`UPDATE payer_erasures SET due_at = now() WHERE tenant_id = $1::uuid`, tenant.id)

/** The rows of a tenant in every table that name the text. */
async function tablesWith(tenant: Tenant, text: string): Promise<string[]> {
  const tables = await world.rows<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'tenant_id' ORDER BY table_name`,
  )
  const counts = await Promise.all(
    tables.map(({ name }) =>
      world.rows(
        `SELECT 1 FROM "${name}" AS t WHERE tenant_id = $1::uuid AND strpos(lower(t::text), $2) > 0`,
        tenant.id,
        text,
      ),
    ),
  )
  return tables.filter((_, index) => (counts[index]?.length ?? 0) > 0).map(({ name }) => name)
}

/** The event of a report of a service, as the consumer gets it. */
const reportOf = (tenant: Tenant, type: string, payload: Record<string, unknown>): EventMessage => ({
  id: randomUUID(),
  type,
  tenant_id: tenant.id,
  business_unit_id: null,
  trace_id: randomUUID(),
  occurred_at: new Date().toISOString(),
  payload,
})

async function complete(tenant: Tenant, erasureId: string): Promise<void> {
  const reports = ['payment-proxy', 'invite-to-pay', 'communication'].map((service) =>
    reportOf(tenant, `${service}.payers.erased`, { erasure_id: erasureId, service, resource_ids: [], is_last: true }),
  )
  for (const report of reports) await recordErasureReport(world, report)
  for (const { id } of reports) {
    const payload = { erasure_id: erasureId, report_id: id }
    await recordErasureReport(world, reportOf(tenant, 'webhooks.payers.erased', payload))
  }
}

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
  const [kept, foreign] = [await tenant.send({ recipient: other }), await stranger.send({ recipient: plain })]
  await until(async () => (await stranger.read(foreign.body.id)).status === 'sent')
  await until(async () => (await tenant.read(sent[1]?.body.id)).status === 'sent')
  await loop.stop()
  const begun = await begin(tenant, plain)
  await run()
  for (const { body } of sent) {
    expect(await tenant.read(body.id)).toMatchObject({ recipient: 'erased', status: 'sent', provider_message_id: null })
  }
  expect((await tenant.read(kept.body.id)).recipient).toBe(other)
  expect((await stranger.read(foreign.body.id)).recipient).toBe(plain)
  const reports = (await tenant.events()).filter(({ type }) => type === 'communication.payers.erased')
  expect(reports.map(({ payload }) => payload)).toMatchObject([
    { erasure_id: begun.id, resource_ids: expect.arrayContaining(sent.map(({ body }) => body.id)) },
    { erasure_id: begun.id, resource_ids: [], is_last: true },
  ])
  expect(await tablesWith(tenant, mailbox)).toEqual(['outbox_events', 'payer_erasures'])
  await complete(tenant, begun.id)
  expect((await read(begun.id)).completed_at).not.toBeNull()
  expect(await tablesWith(tenant, mailbox)).toEqual(['payer_erasures'])
  await secondPassIsDue(tenant)
  await run()
  expect(await tablesWith(tenant, mailbox)).toEqual([])
  expect(await tablesWith(stranger, mailbox)).toContain('communications')
})

test('a queued message is not sent, and fails with its event', async () => {
  const tenant = world.tenant()
  const recipient = `queued.${randomUUID()}@example.com`
  const { id } = (await tenant.send({ recipient }, { 'Idempotency-Key': 'queued' })).body
  const begun = await begin(tenant, recipient)
  await run()
  expect(await tenant.read(id)).toMatchObject({ recipient: 'erased', status: 'failed', error: { code: 'refused' } })
  const failed = (await tenant.events()).find(({ type }) => type === 'communication.communications.send.failed')
  expect(failed?.payload).toMatchObject({ communication: { id, recipient: 'erased' } })
  const repeated = await tenant.send({ recipient }, { 'Idempotency-Key': 'queued' })
  expect(repeated.body).toMatchObject({ id, recipient: 'erased' })
  const loop = world.startLoop()
  expect(await tenant.outbox()).toEqual([])
  await loop.stop()
  expect((await read(begun.id)).services).toMatchObject([
    { service: 'payment-proxy', completed_at: null },
    { service: 'invite-to-pay', completed_at: null },
    { service: 'communication', completed_at: null },
    { service: 'webhooks', completed_at: null },
  ])
})

test('the second pass erases a message that was stored during the first one', async () => {
  const tenant = world.tenant()
  const recipient = `late.${randomUUID()}@example.com`
  await begin(tenant, recipient)
  await run()
  const { id } = (await tenant.send({ recipient })).body
  await run()
  expect((await tenant.read(id)).recipient).toBe(recipient)
  await secondPassIsDue(tenant)
  await run()
  expect((await tenant.read(id)).recipient).toBe('erased')
})

test('a repeated request with the id begins nothing, and no other service learns of it', async () => {
  const tenant = world.tenant()
  const recipient = `twice.${randomUUID()}@example.com`
  const begun = await begin(tenant, recipient)
  expect(await begin(tenant, recipient, begun.id)).toEqual(begun)
  expect((await tenant.events()).filter(({ type }) => type === 'communication.payers.erase')).toHaveLength(1)
  expect(begun).toMatchObject({ tenant_id: tenant.id, requested_by: 'ops', reason: 'request of the payer' })
  expect(JSON.stringify(begun)).not.toContain(recipient)
})

test('an erasure is complete when each service and the copies of each report are, in any order', async () => {
  const tenant = world.tenant()
  const begun = await begin(tenant, 'order@example.com')
  const of = (service: string, rest: object) =>
    reportOf(tenant, `${service}.payers.erased`, {
      erasure_id: begun.id,
      service,
      resource_ids: [],
      is_last: true,
      ...rest,
    })
  const [one, last, ...others] = [
    of('payment-proxy', { resource_ids: [randomUUID(), randomUUID()], is_last: false }),
    of('payment-proxy', {}),
    of('invite-to-pay', {}),
    of('communication', {}),
  ]
  const copies = (id: string | undefined) =>
    reportOf(tenant, 'webhooks.payers.erased', { erasure_id: begun.id, report_id: id })
  const all = [copies(last?.id), ...others, one, last, one, copies(one?.id), ...others.map(({ id }) => copies(id))]
  for (const report of all.slice(0, -1)) if (report !== undefined) await recordErasureReport(world, report)
  expect((await read(begun.id)).completed_at).toBeNull()
  await recordErasureReport(world, all.at(-1) as EventMessage)
  expect(await read(begun.id)).toMatchObject({
    completed_at: expect.any(String),
    services: [
      { service: 'payment-proxy', resources: 2, completed_at: expect.any(String) },
      { service: 'invite-to-pay', resources: 0 },
      { service: 'communication', resources: 0 },
      { service: 'webhooks', resources: 2, completed_at: expect.any(String) },
    ],
  })
})

test('a report about an unknown erasure, or of another tenant, changes nothing', async () => {
  const [tenant, stranger] = [world.tenant(), world.tenant()]
  const begun = await begin(tenant, 'mine@example.com')
  await complete(stranger, begun.id)
  expect((await read(begun.id)).services.every(({ completed_at }) => completed_at === null)).toBe(true)
  await expect(
    recordErasureReport(world, reportOf(tenant, 'payment-proxy.payers.erased', { erasure_id: 'x' })),
  ).rejects.toMatchObject({ code: 'invalid_request' })
})

test('lists erasures, newest first, of all tenants or of one', async () => {
  const [tenant, stranger] = [world.tenant(), world.tenant()]
  const first = await begin(tenant, 'one@example.com', '01990000-0000-7000-8000-000000000001')
  const second = await begin(tenant, 'two@example.com', '01990000-0000-7000-8000-000000000002')
  await begin(stranger, 'one@example.com', '01990000-0000-7000-8000-000000000003')
  const path = '/internal/payer-erasures'
  const own = await world.asOperator.get(`${path}?tenant_id=${tenant.id}`).expect(200)
  expect(own.body.data).toEqual([second, first])
  const page = await world.asOperator.get(`${path}?tenant_id=${tenant.id}&limit=1`).expect(200)
  const rest = await world.asOperator.get(`${path}?tenant_id=${tenant.id}&cursor=${page.body.next_cursor}`).expect(200)
  expect([page.body.data, rest.body.data]).toEqual([[second], [first]])
  expect((await world.asOperator.get(path).expect(200)).body.data.length).toBeGreaterThan(2)
  await world.asOperator.get(`${path}/${randomUUID()}`).expect(404)
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

import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { newId } from '@payments/chassis/base/id'
import { createTurns } from '@payments/chassis/database/turns'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { eraseCopies, processInternalEvent } from '../src/dispatch/erase-copies.ts'
import { type Subscribed, settled, startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s,30s', breaker: { attemptsMin: 1_000 } })
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
})
afterEach(() => endpoint.close())

const canary = () => `canary.${randomUUID()}@example.com`

const eventAbout = ({ tenantId, unitId }: Subscribed, codeId: string, recipient: string): EventMessage => ({
  id: newId(),
  type: 'invite-to-pay.codes.update',
  tenant_id: tenantId,
  business_unit_id: unitId,
  trace_id: randomUUID(),
  occurred_at: new Date().toISOString(),
  payload: { code: { id: codeId, amount: 100, recipient, communication_details: { payer_name: 'Ada' } }, version: 2 },
})

const report = (
  { tenantId }: Subscribed,
  resourceIds: readonly string[],
  versionsBelow: number | null = null,
): EventMessage => ({
  id: newId(),
  type: 'invite-to-pay.payers.erased',
  tenant_id: tenantId,
  business_unit_id: null,
  trace_id: randomUUID(),
  occurred_at: new Date().toISOString(),
  payload: {
    erasure_id: randomUUID(),
    service: 'invite-to-pay',
    resource_ids: resourceIds,
    versions_below: versionsBelow,
    is_last: true,
  },
})

/** The tables in which the text is, also in bytes. */
async function tablesWith(text: string): Promise<string[]> {
  const bytes = "encode(convert_to($1, 'UTF8'), 'hex')"
  const [events, deliveries, attempts] = await Promise.all([
    world.rows('SELECT 1 FROM events WHERE strpos(payload, $1) > 0', text),
    world.rows(`SELECT 1 FROM deliveries WHERE strpos(encode(body, 'hex'), ${bytes}) > 0`, text),
    world.rows(`SELECT 1 FROM attempts WHERE strpos(encode(response_body, 'hex'), ${bytes}) > 0`, text),
  ])
  const headers = await world.rows('SELECT 1 FROM attempts WHERE strpos(response_headers::text, $1) > 0', text)
  const found = { events, deliveries, attempts, headers }
  return Object.entries(found).flatMap(([name, rows]) => (rows.length > 0 ? [name] : []))
}

const reported = async ({ tenantId }: Subscribed) =>
  (await world.events(tenantId)).filter(({ type }) => type === 'webhooks.payers.erased')

test('erases events, bodies and responses about the resources, and reports it; other resources stay', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const stranger = await subscribe(world, endpoint.url)
  const recipient = canary()
  const other = canary()
  const codeId = newId()
  endpoint.respondWith(({ body }) => ({
    status: 500,
    headers: body.toString().includes(recipient) ? { location: `/mailboxes/${recipient}` } : {},
    body: `no mailbox ${recipient} ${other}`,
  }))
  const [mine, theirs, foreign] = [
    eventAbout(subscribed, codeId, recipient),
    eventAbout(subscribed, newId(), other),
    eventAbout(stranger, codeId, other),
  ]
  for (const event of [mine, theirs, foreign]) await world.publish(event)
  await endpoint.waitFor(() => true, { count: 3 })
  await until(async () => (await subscribed.deliveries('?status=retrying')).length === 2)
  await until(async () => (await stranger.deliveries('?status=retrying')).length === 1)
  await world.rows(
    `UPDATE deliveries SET body = webhooks_body(trace_id, tenant_id, event_type,
       (SELECT payload FROM events e WHERE e.tenant_event_id = deliveries.tenant_event_id), business_unit_id, tenant_event_id)
     WHERE tenant_id = $1::uuid`,
    subscribed.tenantId,
  )
  expect(await tablesWith(recipient)).toEqual(['events', 'deliveries', 'attempts', 'headers'])
  const erasure = report(subscribed, [codeId])
  await world.publish(erasure)
  await until(async () => (await reported(subscribed)).length === 1)
  expect((await reported(subscribed))[0]?.payload).toEqual({
    erasure_id: erasure.payload['erasure_id'],
    report_id: erasure.id,
  })
  const left = await world.rows<{ payload: string }>(
    'SELECT payload FROM events WHERE tenant_event_id = $1::uuid',
    mine.id,
  )
  expect(JSON.parse(left[0]?.payload ?? '')).toEqual({
    code: { id: codeId, amount: 100, recipient: 'erased', communication_details: {} },
    version: 2,
  })
  const [body] = await world.rows<{ body: string }>(
    `SELECT convert_from(body, 'UTF8') AS body FROM deliveries WHERE tenant_event_id = $1::uuid`,
    mine.id,
  )
  expect(JSON.parse(body?.body ?? '')).toMatchObject({ metadata: { payload: { code: { recipient: 'erased' } } } })
  // Of the responses, that to the other event of the same tenant still quotes both.
  expect(await tablesWith(recipient)).toEqual(['attempts'])
  expect(await tablesWith(other)).toEqual(['events', 'deliveries', 'attempts'])
  expect((await subscribed.deliveries()).map(({ status }) => status)).toEqual(['retrying', 'retrying'])
})

test('an event that arrives after the erasure is stored and delivered without the payer', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const recipient = canary()
  const codeId = newId()
  await world.publish(report(subscribed, [codeId]))
  await until(async () => (await reported(subscribed)).length === 1)
  await world.publish(eventAbout(subscribed, codeId, recipient))
  await settled(subscribed, 'delivered')
  const [sent] = endpoint.received
  expect(JSON.parse(sent?.body.toString() ?? '')).toMatchObject({
    metadata: { payload: { code: { recipient: 'erased' } } },
  })
  expect(await tablesWith(recipient)).toEqual([])
})

test('of a corrected address, only copies of events with a lower version are erased', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const [wrong, right] = [canary(), canary()]
  const codeId = newId()
  const event = (version: number, recipient: string) => {
    const about = eventAbout(subscribed, codeId, recipient)
    return { ...about, payload: { ...about.payload, version } }
  }
  await world.publish(event(1, wrong))
  await world.publish(event(2, right))
  await endpoint.waitFor(() => true, { count: 2 })
  await world.publish(report(subscribed, [codeId], 2))
  await until(async () => (await reported(subscribed)).length === 1)
  expect(await tablesWith(wrong)).toEqual([])
  expect(await tablesWith(right)).toEqual(['events'])
  await world.publish(event(3, right))
  const [, , later] = await endpoint.waitFor(() => true, { count: 3 })
  expect(later?.body.toString()).toContain(right)
})

test('the second pass erases an event that was being stored during the first one, once', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const recipient = canary()
  const codeId = newId()
  const event = eventAbout(subscribed, codeId, recipient)
  await world.publish(event)
  await settled(subscribed, 'delivered')
  const erasure = report(subscribed, [codeId])
  await world.publish(erasure)
  await until(async () => (await reported(subscribed)).length === 1)
  await world.rows(
    'UPDATE events SET payload = $2 WHERE tenant_event_id = $1::uuid',
    event.id,
    JSON.stringify(event.payload),
  )
  expect(await tablesWith(recipient)).toEqual(['events'])
  const [waiting] = await world.rows(
    `SELECT pass, due_at > now() + interval '14 minutes' AS later FROM copy_erasures WHERE id = $1::uuid`,
    erasure.id,
  )
  expect(waiting).toEqual({ pass: 2, later: true })
  await world.rows('UPDATE copy_erasures SET due_at = now() WHERE id = $1::uuid', erasure.id)
  await eraseCopies(world, createTurns('copy_erasures'))
  await until(
    async () => (await world.rows('SELECT 1 FROM copy_erasures WHERE id = $1::uuid', erasure.id)).length === 0,
  )
  expect(await tablesWith(recipient)).toEqual([])
  expect(await reported(subscribed)).toHaveLength(1)
})

test('many copies of one tenant delay neither the messages nor the copies of another one', async () => {
  const quiet = await startWorld()
  const dispatcher = await quiet.dispatch()
  const [many, one] = [await subscribe(quiet, endpoint.url), await subscribe(quiet, endpoint.url)]
  const codeId = newId()
  const event = eventAbout(many, codeId, canary())
  await quiet.publish(event)
  await settled(many, 'delivered')
  await dispatcher.stop()
  await quiet.rows(
    `INSERT INTO events SELECT (jsonb_populate_record(e, jsonb_build_object('tenant_event_id', gen_random_uuid()))).*
     FROM events AS e, generate_series(1, 400) WHERE e.tenant_event_id = $1::uuid`,
    event.id,
  )
  await processInternalEvent(quiet, report(many, [codeId]))
  await processInternalEvent(quiet, report(one, [newId()]))
  const left = async () => (await quiet.rows(`SELECT 1 FROM events WHERE payload LIKE '%canary.%'`)).length
  expect(await left()).toBe(401)
  let batches = 0
  const acrossTenants: World['db']['acrossTenants'] = (work) => {
    batches += 1
    if (batches > 4) throw new Error('two turns of each tenant')
    return quiet.db.acrossTenants(work)
  }
  const runs = eraseCopies({ db: { ...quiet.db, acrossTenants }, log: quiet.log }, createTurns('copy_erasures'))
  await expect(runs).rejects.toThrow('two turns')
  const reports = await quiet.events(one.tenantId)
  expect(reports.filter(({ type }) => type === 'webhooks.payers.erased')).toHaveLength(1)
  expect(await left()).toBeGreaterThan(200)
  await eraseCopies(quiet, createTurns('copy_erasures'))
  expect(await left()).toBe(0)
  await quiet.stop()
})

test('an erasure that fails is due again later, and others follow', async () => {
  const [failing, other] = [await subscribe(world, endpoint.url), await subscribe(world, endpoint.url)]
  const codeId = newId()
  const event = eventAbout(failing, codeId, canary())
  await world.publish(event)
  await settled(failing, 'delivered')
  await world.rows(`UPDATE events SET payload = '{' WHERE tenant_event_id = $1::uuid`, event.id)
  const erasure = report(failing, [codeId])
  await world.publish(erasure)
  await world.publish(report(other, [newId()]))
  await until(async () => (await reported(other)).length === 1)
  const waiting = () =>
    world.rows(`SELECT 1 FROM copy_erasures WHERE id = $1::uuid AND failures = 1 AND due_at > now()`, erasure.id)
  await until(async () => (await waiting()).length === 1)
  expect(await reported(failing)).toEqual([])
})

test('events between services are neither stored nor delivered, and no subscription can name them', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const { tenantId } = subscribed
  const request = { erasure_id: randomUUID(), recipient: canary(), requested_at: new Date().toISOString() }
  await world.publish({ ...report(subscribed, []), type: 'communication.payers.erase', payload: request })
  await world.publish(report(subscribed, []))
  await until(async () => (await reported(subscribed)).length === 1)
  expect(await world.rows('SELECT 1 FROM events WHERE tenant_id = $1::uuid', tenantId)).toEqual([])
  expect(endpoint.received).toEqual([])
  const named = await subscribed.tenant.post(subscribed.unitPath, {
    destination_url: endpoint.url,
    event_types: ['communication.payers.erase'],
  })
  expect([named.status, named.body.code]).toEqual([422, 'unknown_event_type'])
})

test('rejects a report of another form, and erases nothing', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const codeId = newId()
  const recipient = canary()
  await world.publish(eventAbout(subscribed, codeId, recipient))
  await settled(subscribed, 'delivered')
  const malformed = { ...report(subscribed, [codeId]), payload: { resource_ids: [codeId] } }
  await expect(processInternalEvent(world, malformed)).rejects.toMatchObject({ code: 'invalid_request' })
  expect(await tablesWith(recipient)).toEqual(['events'])
  expect(await reported(subscribed)).toEqual([])
})

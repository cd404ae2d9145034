import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { until } from '@payments/testing/services/until'
import { codesPath, payPagePath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const cancel = (tenant: ReturnType<World['tenant']>, id: string) => tenant.post(`${codesPath}/${id}/cancel`).expect(200)

test('a transaction whose code was canceled gets a new one, which is paid', async () => {
  const tenant = world.tenant()
  const first = await tenant.create()
  await cancel(tenant, first.id)
  const { body: second } = await tenant.createAgain(first.transaction_id).expect(201)
  expect([second.transaction_id, second.status, second.version]).toEqual([first.transaction_id, 'active', 1])
  expect([second.id === first.id, second.url === first.url]).toEqual([false, false])
  expect((await world.payer.get(payPagePath(first))).status).toBe(410)
  await world.pay(second)
  const statuses = [await tenant.read(first.id), await tenant.read(second.id)].map(({ status }) => status)
  expect(statuses).toEqual(['canceled', 'completed'])
  const list = await tenant.get(`${codesPath}?transaction_id=${first.transaction_id}`)
  expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id])
})

test('a transaction whose code ended by declines gets a new one', async () => {
  const tenant = world.tenant()
  const first = await tenant.create()
  await world.rows('UPDATE codes SET decline_count = 9 WHERE id = $1::uuid', first.id)
  await world.pay(first, 'tok_declined')
  expect((await tenant.read(first.id)).canceled_by).toBe('declines')
  const { body: second } = await tenant.createAgain(first.transaction_id).expect(201)
  await world.pay(second)
  expect((await tenant.read(second.id)).status).toBe('completed')
})

test('a new code takes the place of an expired one, also before the job has recorded the end', async () => {
  const tenant = world.tenant()
  const first = await tenant.create()
  await world.age(first.id, 24 * 3_600)
  const { body: second } = await tenant.createAgain(first.transaction_id).expect(201)
  expect((await world.stored(first.id)).status).toBe('expired')
  expect((await tenant.events()).map(({ type }) => type)).toEqual([
    'invite-to-pay.codes.create',
    'invite-to-pay.codes.update',
    'invite-to-pay.codes.create',
  ])
  const resendPath = `/internal/tenants/${tenant.id}/transactions/${first.transaction_id}/resend`
  await world.rows(`UPDATE codes SET invited_at = invited_at - interval '1 minute' WHERE id = $1::uuid`, second.id)
  const resent = await world.asService().post(resendPath, { resend_id: randomUUID() }).expect(200)
  expect([resent.body.id, (await world.stored(first.id)).status]).toEqual([second.id, 'expired'])
})

test('a transaction with a code that can be paid, or is being paid, gets no other', async () => {
  const tenant = world.tenant()
  const first = await tenant.create()
  expect(outcome(await tenant.createAgain(first.transaction_id))).toEqual([409, 'code_exists'])
  await world.pay(first, 'tok_pending')
  expect((await world.stored(first.id)).status).toBe('processing')
  expect(outcome(await tenant.createAgain(first.transaction_id))).toEqual([409, 'code_exists'])
  expect(await tenant.events()).toHaveLength(2)
})

test('of ten requests at once after a cancelation, one creates the new code', async () => {
  const tenant = world.tenant()
  const first = await tenant.create()
  await cancel(tenant, first.id)
  const create = () => tenant.createAgain(first.transaction_id).then(({ status }) => status)
  const statuses = await Promise.all(Array.from({ length: 10 }, create))
  expect(statuses.sort((one, other) => one - other)).toEqual([201, ...Array.from({ length: 9 }, () => 409)])
  const open = `SELECT id FROM codes WHERE transaction_id = $1::uuid AND status = 'active'`
  expect(await world.rows(open, first.transaction_id)).toHaveLength(1)
})

test('an event of the transaction settles its latest code, and creates none', async () => {
  const tenant = world.tenant()
  const first = await tenant.create()
  await cancel(tenant, first.id)
  const { transaction } = world.payments.ledger.get(first.transaction_id) ?? {}
  if (transaction === undefined) throw new Error('no transaction')
  await world.event(tenant.id, transaction, null)
  const listCodes = () =>
    world.rows<{ id: string; status: string }>(
      'SELECT id::text, status::text FROM codes WHERE transaction_id = $1::uuid ORDER BY id',
      first.transaction_id,
    )
  expect(await listCodes()).toEqual([{ id: first.id, status: 'canceled' }])
  const { body: second } = await tenant.createAgain(first.transaction_id).expect(201)
  await world.event(tenant.id, transaction, null, { status: 'captured', amount_authorized: transaction.amount })
  expect(await listCodes()).toEqual([
    { id: first.id, status: 'canceled' },
    { id: second.id, status: 'completed' },
  ])
})

test('repeats the response when the reminder is in the past meanwhile', async () => {
  const tenant = world.tenant()
  const headers = { 'Idempotency-Key': randomUUID() }
  const reminderAt = new Date(Date.now() + 2_000)
  const draft = tenant.draft({ reminder_at: reminderAt.toISOString() })
  const first = await tenant.post(codesPath, draft, headers)
  await until(() => Date.now() > reminderAt.getTime())
  const again = await tenant.post(codesPath, draft, headers)
  expect([first.status, again.status, again.body]).toEqual([201, 201, first.body])
  const rejected = await tenant.post(codesPath, draft, { 'Idempotency-Key': randomUUID() })
  expect([rejected.status, rejected.body.errors[0].pointer]).toEqual([400, '/reminder_at'])
})

test('continues with the same transaction when a request is repeated after a crash', async () => {
  const tenant = world.tenant()
  const headers = { 'Idempotency-Key': randomUUID() }
  const { body } = await tenant.post(codesPath, tenant.draft(), headers)
  // As a process leaves it that ends between the two transactions.
  await world.rows('DELETE FROM messages WHERE code_id = $1::uuid', body.id)
  await world.rows('DELETE FROM codes WHERE id = $1::uuid', body.id)
  await world.rows('UPDATE idempotency_keys SET reply = NULL WHERE tenant_id = $1::uuid', tenant.id)
  const again = await tenant.post(codesPath, tenant.draft(), headers)
  expect([again.status, again.body.transaction_id]).toEqual([201, body.transaction_id])
})

test('continues after a crash also when the reminder of the first request is over', async () => {
  const tenant = world.tenant()
  const headers = { 'Idempotency-Key': randomUUID() }
  // The first request is accepted in time, or once more with a later reminder on a busy machine.
  const create = async (waitMs: number): Promise<{ draft: object; reminderAt: Date; transactionId: string }> => {
    const reminderAt = new Date(Date.now() + waitMs)
    const draft = tenant.draft({ reminder_at: reminderAt })
    const { status, body } = await tenant.post(codesPath, draft, headers)
    if (status !== 201) return create(2 * waitMs)
    await world.rows('DELETE FROM messages WHERE code_id = $1::uuid', body.id)
    await world.rows('DELETE FROM codes WHERE id = $1::uuid', body.id)
    return { draft, reminderAt, transactionId: body.transaction_id }
  }
  const { draft, reminderAt, transactionId } = await create(1_000)
  await world.rows('UPDATE idempotency_keys SET reply = NULL WHERE tenant_id = $1::uuid', tenant.id)
  await until(() => Date.now() > reminderAt.getTime())
  const again = await tenant.post(codesPath, draft, headers)
  expect([again.status, again.body.errors, again.body.transaction_id, again.body.reminder_at]).toEqual([
    201,
    undefined,
    transactionId,
    null,
  ])
})

test.each([
  ['31 minutes and more', 40, 201],
  ['30 minutes, whose request may still create it', 30.5, 409],
  ['less', 29, 201],
])('an id that an earlier request has left for a transaction, of an age of %s', async (_, minutes, status) => {
  const tenant = world.tenant()
  const headers = { 'Idempotency-Key': randomUUID() }
  const time = (Date.now() - minutes * 60_000).toString(16).padStart(12, '0')
  const left = `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
  await tenant.post(codesPath, tenant.draft(), headers).expect(201)
  world.payments.ledger.clear()
  const unfinished = 'UPDATE idempotency_keys SET reply = NULL, reference = $2 WHERE tenant_id = $1::uuid'
  await world.rows(unfinished, tenant.id, left)
  const reply = await tenant.post(codesPath, tenant.draft(), headers)
  expect(reply.status).toBe(status)
  if (status === 409) return expect(reply.body.code).toBe('idempotency_key_in_use')
  expect(reply.body.transaction_id === left).toBe(minutes < 30)
})

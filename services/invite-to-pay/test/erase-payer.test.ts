import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Transaction } from '@payments/contracts/nouns/transaction'
import type { CodeWithLink } from '@payments/contracts/services/invite-to-pay/contract'
import { acceptErasure, erasePayers, erasureTurns } from '@payments/service/payers/erasures'
import { redactOldRows } from '@payments/service/payers/retention'
import { until } from '@payments/testing/services/until'
import { codeEraser, retainedCodes } from '../src/erasure/codes.ts'
import { recoverPayments } from '../src/verbs/recover-payments.ts'
import { buildOperation, endConfirmation } from './ledger.ts'
import { codesPath, payPagePath, startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const accept = (tenant: TestTenant, recipient: string, requestedAt = new Date()) =>
  acceptErasure(world.deps, {
    tenant_id: tenant.id,
    trace_id: randomUUID(),
    payload: { erasure_id: randomUUID(), recipient, requested_at: requestedAt.toISOString() },
  })
/** Runs what is due, as a minute after the requests of the tenant. */
async function run(tenant: TestTenant): Promise<void> {
  await world.rows(
    "UPDATE payer_erasures SET due_at = now() - interval '1 second' WHERE tenant_id = $1::uuid AND due_at IS NOT NULL",
    tenant.id,
  )
  await erasePayers(world.deps, erasureTurns(), codeEraser)
}
/** They are deleted a day after their publication, and after 7 days. */
const copies = new Set(['outbox_events', 'idempotency_keys'])

/** The tables of the database in which a row of the tenant names the text, without copies that expire. */
async function tablesWith(tenant: TestTenant, text: string): Promise<string[]> {
  const tables = await world.rows<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'tenant_id' ORDER BY table_name`,
  )
  const sql = (name: string) =>
    `SELECT 1 FROM "${name}" AS t WHERE tenant_id = $1::uuid AND strpos(lower(t::text), lower($2)) > 0 LIMIT 1`
  const found = await Promise.all(tables.map(({ name }) => world.rows(sql(name), tenant.id, text)))
  return tables.flatMap(({ name }, index) => (found[index]?.length === 1 && !copies.has(name) ? [name] : []))
}

const details = { communication_details: { payer_name: 'Ada Byron' }, return_url: 'https://shop.example.com/ada' }

test('cancels an active code of an erased payer with its event, and keeps no copy of the payer', async () => {
  const [tenant, stranger] = [world.tenant(), world.tenant()]
  const recipient = `ada.${randomUUID()}@example.com`
  const code = await tenant.create({ recipient, ...details }, { 'Idempotency-Key': randomUUID() })
  const other = await tenant.create({ recipient: 'other@example.com' })
  const foreign = await stranger.create({ recipient })
  await accept(tenant, recipient.toUpperCase())
  await run(tenant)
  expect(await tenant.read(code.id)).toMatchObject({
    status: 'canceled',
    canceled_by: 'request',
    recipient: 'erased',
    communication_details: {},
    return_url: null,
    amount: code.amount,
  })
  expect(await tenant.read(other.id)).toMatchObject({ status: 'active', recipient: 'other@example.com' })
  expect(await stranger.read(foreign.id)).toMatchObject({ status: 'active', recipient })
  expect((await world.payer.get(payPagePath(code))).status).toBe(410)
  const events = await tenant.events()
  const canceled = events.find(({ type }) => type === 'invite-to-pay.codes.cancel')
  expect(canceled?.payload.code).toMatchObject({ id: code.id, recipient: 'erased' })
  const reports = events.filter(({ type }) => type === 'invite-to-pay.payers.erased')
  expect(reports.map(({ payload }) => payload)).toMatchObject([{ service: 'invite-to-pay', resources: 1 }])
  expect(await tablesWith(tenant, recipient)).toEqual([])
  expect(await tablesWith(tenant, 'Ada Byron')).toEqual([])
})

test('the code of a payer whose address the tenant corrected stays, and names the earlier one nowhere', async () => {
  const tenant = world.tenant()
  const [wrong, right] = [`wrong.${randomUUID()}@example.com`, `right.${randomUUID()}@example.com`]
  const code = await tenant.create({ recipient: wrong })
  await tenant.patch(`${codesPath}/${code.id}`, { recipient: right }).expect(200)
  await accept(tenant, wrong)
  await run(tenant)
  expect(await tenant.read(code.id)).toMatchObject({ status: 'active', recipient: right })
  expect(await tablesWith(tenant, wrong)).toEqual([])
})

test('a code that was created after the request stays', async () => {
  const tenant = world.tenant()
  const recipient = `new.${randomUUID()}@example.com`
  const code = await tenant.create({ recipient })
  await accept(tenant, recipient, new Date(Date.now() - 60 * 60_000))
  await run(tenant)
  expect(await tenant.read(code.id)).toMatchObject({ status: 'active', recipient })
})

test('a message that waits is not sent to an erased payer', async () => {
  const tenant = world.tenant()
  const recipient = `waits.${randomUUID()}@example.com`
  const code = await tenant.create({ recipient })
  await accept(tenant, recipient)
  await run(tenant)
  const loop = world.startSending()
  await until(async () => {
    const sql = 'SELECT 1 FROM messages WHERE tenant_id = $1::uuid AND due_at IS NOT NULL'
    return (await world.rows(sql, tenant.id)).length === 0
  })
  await loop.stop()
  expect((await tenant.read(code.id)).communication_id).toBeNull()
})

test('an erased payer gets no code by an event of the transaction', async () => {
  const tenant = world.tenant()
  const invitation = {
    communication_type: 'EMAIL' as const,
    recipient: 'erased',
    template_id: null,
    communication_details: {},
    expires_at: null,
    reminder_at: null,
    return_url: null,
    locale: null,
  }
  const transaction = tenant.transaction({ i2p: true, invitation })
  await world.event(tenant.id, transaction, null)
  expect((await tenant.get(codesPath).expect(200)).body.data).toEqual([])
})

test('an event of a transaction from before the request creates no code, during the erasure and after it', async () => {
  const tenant = world.tenant()
  const recipient = `event.${randomUUID()}@example.com`
  const invitation = {
    communication_type: 'EMAIL' as const,
    recipient,
    template_id: null,
    communication_details: {},
    expires_at: null,
    reminder_at: null,
    return_url: null,
    locale: null,
  }
  await accept(tenant, recipient.toUpperCase(), new Date(Date.now() - 10 * 60_000))
  const created = (minutes: number) => ({ created_at: new Date(Date.now() - minutes * 60_000).toISOString() })
  const before = () => world.event(tenant.id, tenant.transaction({ i2p: true, invitation, ...created(20) }), null)
  await before()
  await run(tenant)
  expect(await tablesWith(tenant, recipient)).toEqual([])
  await before()
  expect((await tenant.get(codesPath).expect(200)).body.data).toEqual([])
  await world.event(tenant.id, tenant.transaction({ i2p: true, invitation, ...created(1) }), null)
  expect((await tenant.get(codesPath).expect(200)).body.data).toMatchObject([{ recipient, status: 'active' }])
})

/** A payment that is in progress while its payer is erased. */
async function erasedWhilePaying(token: string) {
  const recipient = `pays.${randomUUID()}@example.com`
  const tenant = world.tenant()
  const code = await tenant.create({ recipient })
  await world.pay(code, token)
  const transaction = world.payments.ledger.get(code.transaction_id)?.transaction
  if (transaction === undefined) throw new Error('the code has no transaction')
  await accept(tenant, recipient)
  await run(tenant)
  expect(await tenant.read(code.id)).toMatchObject({ status: 'processing', recipient: 'erased' })
  return { tenant, code, transaction }
}

const recover = async (code: CodeWithLink) => {
  await world.age(code.id, 31)
  await recoverPayments(world.deps)
}

test.each([
  [
    'declined by the bank of the payer',
    'tok_challenge',
    async (code: CodeWithLink, transaction: Transaction) => {
      endConfirmation(transaction, 'declined', 'authentication_failed')
      await world.payer.get(`${payPagePath(code)}/return`)
      await world.deps.inProgress.settled()
    },
  ],
  [
    'canceled by the payer before the confirmation',
    'tok_challenge',
    async (code: CodeWithLink) => {
      await world.payer.form(`${payPagePath(code)}/cancel`, { nonce: await world.nonce(code) })
      await world.deps.inProgress.settled()
    },
  ],
  [
    'declined later',
    'tok_pending',
    async (code: CodeWithLink, transaction: Transaction) => {
      const { operations } = transaction
      operations.splice(0, 1, buildOperation({ id: operations[0]?.id ?? '', state: 'declined' }))
      await recover(code)
    },
  ],
  [
    'declined after the end of the code',
    'tok_pending',
    async (code: CodeWithLink, transaction: Transaction) => {
      const { operations } = transaction
      operations.splice(0, 1, buildOperation({ id: operations[0]?.id ?? '', state: 'declined' }))
      await world.age(code.id, 60 * 24 * 60 * 60)
      await recover(code)
    },
  ],
])('the code of an erased payer whose payment is %s cannot be paid again', async (_case, token, end) => {
  const { tenant, code, transaction } = await erasedWhilePaying(token)
  await end(code, transaction)
  expect(await tenant.read(code.id)).toMatchObject({ status: 'canceled', canceled_by: 'request', recipient: 'erased' })
  const canceled = (await tenant.events()).filter(({ type }) => type === 'invite-to-pay.codes.cancel')
  expect(canceled.map(({ payload }) => payload.code.id)).toEqual([code.id])
  expect((await world.payer.get(payPagePath(code))).status).toBe(410)
  expect(await world.stored(code.id)).toMatchObject({ payer_locale: null, payer_time_zone: null })
})

test('a payment of an erased payer that succeeds completes its code, without a receipt', async () => {
  const { tenant, code, transaction } = await erasedWhilePaying('tok_challenge')
  endConfirmation(transaction, 'succeeded', '')
  await recover(code)
  expect(await tenant.read(code.id)).toMatchObject({ status: 'completed', canceled_by: null, recipient: 'erased' })
})

test('redacts ended codes after their days, also ten thousand in one run', async () => {
  const [many, one] = [world.tenant(), world.tenant()]
  const [code, mine, active] = [await many.create(details), await one.create(details), await one.create(details)]
  for (const [tenant, { id }] of [
    [many, code],
    [one, mine],
  ] as const)
    await tenant.post(`${codesPath}/${id}/cancel`, {}).expect(200)
  // In parts: a statement on a busy machine has little time.
  for (const count of [...Array(9).fill(1_000), 999]) await world.copyCode(code.id, count)
  await world.rows(`UPDATE codes SET updated_at = updated_at - interval '366 days' WHERE tenant_id = ANY($1::uuid[])`, [
    many.id,
    one.id,
  ])
  const redact = async (days: number) =>
    (await redactOldRows(world.deps, retainedCodes, { days, now: new Date(), after: null })).redacted
  expect([await redact(0), await redact(367)]).toEqual([0, 0])
  expect(await redact(365)).toBe(10_001)
  expect(await one.read(mine.id)).toMatchObject({ recipient: 'erased', communication_details: {}, return_url: null })
  expect(await one.read(active.id)).toMatchObject({ recipient: 'payer@example.com', ...details })
  expect(await redact(365)).toBe(0)
})

test('erases a recipient of another script, in each form of the domain, and no other mailbox', async () => {
  const tenant = world.tenant()
  const [anne, kate] = [`ÄNNE.${randomUUID()}`, `kate.${randomUUID()}@example.com`]
  const erased = await tenant.create({ recipient: `${anne}+shop@BÜCHER.example` }, { 'Idempotency-Key': randomUUID() })
  const kelvin = await tenant.create({ recipient: kate.replace('k', '\u212a') })
  await accept(tenant, `${anne.replace('NNE', 'nne')}@xn--bcher-kva.example`)
  await accept(tenant, kate)
  await run(tenant)
  expect(await tenant.read(erased.id)).toMatchObject({ status: 'canceled', recipient: 'erased' })
  expect(await tablesWith(tenant, anne)).toEqual([])
  expect(await tenant.read(kelvin.id)).toMatchObject({ status: 'active', recipient: kate.replace('k', '\u212a') })
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { codesPath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())
beforeEach(() => {
  world.communication.state.templates.clear()
})

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

test('creates a transaction with its code, an invitation and one event without the link', async () => {
  const tenant = world.tenant()
  const reply = await tenant.post(codesPath, tenant.draft({ communication_details: { payer_name: 'Ada' } }))
  expect([reply.status, reply.headers['location']]).toEqual([201, `${codesPath}/${reply.body.id}`])
  const code = reply.body
  expect(code).toMatchObject({
    object: 'invite',
    business_unit_id: tenant.unitId,
    status: 'active',
    amount: 3998,
    currency: 'EUR',
    capture: false,
    recipient: 'payer@example.com',
    communication_details: { payer_name: 'Ada' },
    resend_count: 0,
    last_sent_at: null,
    version: 1,
  })
  expect(code.url).toMatch(/^https:\/\/pay\.example\.com\/pay\/[A-Za-z0-9_-]{22}$/)
  expect(Date.parse(code.expires_at) - Date.parse(code.created_at)).toBe(24 * 3_600_000)
  const { transaction } = world.payments.ledger.get(code.transaction_id) ?? {}
  expect(transaction).toMatchObject({ i2p: true, invitation: { recipient: 'payer@example.com', expires_at: null } })
  const events = await tenant.events()
  expect(events.map(({ type }) => type)).toEqual(['invite-to-pay.codes.create'])
  const { url, ...snapshot } = code
  expect(events[0]?.payload).toEqual({ code: snapshot, version: 1 })
  expect(JSON.stringify(events)).not.toContain(url.slice(-22))
  expect(await world.rows('SELECT kind FROM messages WHERE code_id = $1::uuid', code.id)).toEqual([
    { kind: 'invitation' },
  ])
})

test('stores the value of a link as a hash and encrypted, and nowhere in clear', async () => {
  const tenant = world.tenant()
  const { url } = await tenant.create({}, { 'Idempotency-Key': randomUUID() })
  const tables = ['codes', 'messages', 'idempotency_keys', 'outbox_events']
  for (const table of tables) {
    const rows = await world.rows<{ row: string }>(
      `SELECT to_jsonb(t)::text AS row FROM ${table} t WHERE tenant_id = $1::uuid`,
      tenant.id,
    )
    expect(rows).not.toEqual([])
    expect(rows.filter(({ row }) => row.includes(url.slice(-22)))).toEqual([])
  }
})

test('invites to pay a pending transaction, with capture as the request says', async () => {
  const tenant = world.tenant()
  const transaction = tenant.transaction({ external_reference: 'order-7' })
  const code = await tenant.create({ transaction: undefined, transaction_id: transaction.id, capture: true })
  expect(code).toMatchObject({ transaction_id: transaction.id, capture: true, amount: transaction.amount })
  expect(transaction.i2p).toBe(true)
  const again = await tenant.post(codesPath, tenant.draft({ transaction: undefined, transaction_id: transaction.id }))
  expect(outcome(again)).toEqual([409, 'code_exists'])
})

test('of ten requests at once for one transaction, one creates its code', async () => {
  const tenant = world.tenant()
  const { id } = tenant.transaction()
  const create = () => tenant.post(codesPath, tenant.draft({ transaction: undefined, transaction_id: id }))
  const replies = await Promise.all(Array.from({ length: 10 }, create))
  expect(replies.map(outcome).sort(([a], [b]) => Number(a) - Number(b))).toEqual([
    [201, undefined],
    ...Array.from({ length: 9 }, () => [409, 'code_exists']),
  ])
  expect(await tenant.events()).toHaveLength(1)
})

test('of two requests at once with one Idempotency-Key for one transaction, the slower gets the response too', async () => {
  const tenant = world.tenant()
  const draft = tenant.draft({ transaction: undefined, transaction_id: tenant.transaction().id })
  const headers = { 'Idempotency-Key': randomUUID() }
  const { faults } = world.payments
  const isReading = new Promise<() => void>((reading) => {
    faults.beforeRead = () => {
      faults.beforeRead = async () => {}
      return new Promise((release) => reading(release))
    }
  })
  const slower = tenant.post(codesPath, draft, headers).then((reply) => reply)
  const read = await isReading
  const faster = await tenant.post(codesPath, draft, headers)
  read()
  const { status, body } = await slower
  expect([status, body]).toEqual([201, faster.body])
  expect(await tenant.events()).toHaveLength(1)
})

test('a failure after the stored response was found does not say that it is the stored one', async () => {
  const tenant = world.tenant()
  const headers = { 'Idempotency-Key': randomUUID() }
  await tenant.post(codesPath, tenant.draft(), headers).expect(201)
  const app = world.appWith({ ...world.deps.vault, decrypt: () => Promise.reject(new Error('no key')) })
  const caller = world.createCallers(app).asTenant(tenant.id, undefined, tenant.actor)
  const again = await caller.post(codesPath, tenant.draft(), headers)
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([500, undefined])
})

test('repeats the response for a repeated Idempotency-Key, with its link, and creates one transaction', async () => {
  const tenant = world.tenant()
  const headers = { 'Idempotency-Key': randomUUID() }
  const first = await tenant.post(codesPath, tenant.draft(), headers)
  const again = await tenant.post(codesPath, tenant.draft(), headers)
  expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([201, 'true', first.body])
  const other = await tenant.post(codesPath, tenant.draft({ capture: true }), headers)
  expect(outcome(other)).toEqual([422, 'idempotency_key_reused'])
  expect([...world.payments.ledger.values()].filter(({ tenantId }) => tenantId === tenant.id)).toHaveLength(1)
})

test('a repeated response has the link for its first actor and for a credential that may reveal it only', async () => {
  const tenant = world.tenant()
  const headers = { 'Idempotency-Key': randomUUID() }
  const permissions = ['invitetopay:StartTransaction', 'transaction:CreateTransaction'] as const
  const creator = world.asTenant(tenant.id, permissions)
  const first = await creator.post(codesPath, tenant.draft(), headers)
  const repeat = async (caller: typeof creator) => {
    const { status, body } = await caller.post(codesPath, tenant.draft(), headers)
    return [status, body.id, body.url]
  }
  const { id, url } = first.body
  expect(url).toMatch(/^https:/)
  expect(await repeat(creator)).toEqual([201, id, url])
  expect(await repeat(world.asTenant(tenant.id, [...permissions, 'invitetopay:RevealCode']))).toEqual([201, id, url])
  expect(await repeat(world.asTenant(tenant.id, permissions))).toEqual([201, id, null])
})

test('a rejected request leaves its Idempotency-Key for a corrected one', async () => {
  const tenant = world.tenant()
  const headers = { 'Idempotency-Key': randomUUID() }
  const rejected = await tenant.post(codesPath, tenant.draft({ template_id: randomUUID() }), headers)
  expect(outcome(rejected)).toEqual([422, 'template_unusable'])
  expect(rejected.body.errors).toEqual([{ pointer: '/template_id', detail: 'is no template' }])
  expect((await tenant.post(codesPath, tenant.draft(), headers)).status).toBe(201)
})

test('concurrent requests with one Idempotency-Key create one transaction, whatever they respond', async () => {
  for (let round = 0; round < 20; round += 1) {
    const tenant = world.tenant()
    const headers = { 'Idempotency-Key': randomUUID() }
    const post = () => tenant.post(codesPath, tenant.draft(), headers)
    const replies = await Promise.all(Array.from({ length: 8 }, () => post()))
    for (const reply of replies) {
      if (reply.status !== 201) expect(outcome(reply)).toEqual([409, 'idempotency_key_in_use'])
    }
    const last = await post()
    const created = [...world.payments.ledger.values()].filter(({ tenantId }) => tenantId === tenant.id)
    expect([last.status, created.map(({ transaction }) => transaction.id)]).toEqual([201, [last.body.transaction_id]])
  }
})

test('the rejection of a repeated request leaves the key with the transaction of the first one', async () => {
  const tenant = world.tenant()
  const headers = { 'Idempotency-Key': randomUUID() }
  const templateId = randomUUID()
  const draft = tenant.draft({ template_id: templateId })
  world.communication.state.templates.add(templateId)
  const first = await tenant.post(codesPath, draft, headers)
  await world.rows('UPDATE idempotency_keys SET reply = NULL WHERE tenant_id = $1::uuid', tenant.id)
  world.communication.state.templates.clear()
  expect(outcome(await tenant.post(codesPath, draft, headers))).toEqual([422, 'template_unusable'])
  world.communication.state.templates.add(templateId)
  const again = await tenant.post(codesPath, draft, headers)
  expect([again.status, again.body.transaction_id]).toEqual([201, first.body.transaction_id])
})

test('returns the code that the event of its transaction created first', async () => {
  const tenant = world.tenant()
  const headers = { 'Idempotency-Key': randomUUID() }
  const first = await tenant.post(codesPath, tenant.draft(), headers)
  await world.rows('UPDATE idempotency_keys SET reply = NULL WHERE tenant_id = $1::uuid', tenant.id)
  const again = await tenant.post(codesPath, tenant.draft(), headers)
  expect([again.status, again.body]).toEqual([201, first.body])
  expect(await tenant.events()).toHaveLength(1)
})

test('checks the template for the locale that the code gets: of the request, else of its transaction', async () => {
  const tenant = world.tenant()
  const template_id = randomUUID()
  world.communication.state.templates.add(template_id)
  const inFrench = { ...tenant.draft().transaction, locale: 'fr' }
  const transaction_id = tenant.transaction({ locale: 'ja' }).id
  const codes = [
    await tenant.create({ template_id, transaction: inFrench, locale: 'de-AT' }),
    await tenant.create({ template_id, transaction: inFrench }),
    await tenant.create({ template_id, transaction: undefined, transaction_id }),
    await tenant.create({ template_id }),
  ]
  const checked = world.communication.checks.filter(([id]) => id === template_id).map(([, locale]) => locale)
  expect(checked).toEqual(['de-AT', 'fr', 'ja', null])
  expect(codes.map(({ locale }) => locale)).toEqual(checked)
})

test('rejects what cannot be invited, names the field, and stores and sends nothing', async () => {
  const tenant = world.tenant()
  const withoutPage = world.tenant({}, { orchestrators: [{ payment_gateway: 'http' }] })
  const deleted = world.tenant({}, { status: 'deleted' })
  const unit = (id: string) => ({ transaction: { ...tenant.draft().transaction, business_unit_id: id } })
  const captured = tenant.transaction({ status: 'captured' })
  const cases: [ReturnType<World['tenant']>, object][] = [
    [tenant, unit(randomUUID())],
    [deleted, deleted.draft()],
    [withoutPage, withoutPage.draft()],
    [tenant, { transaction: undefined, transaction_id: randomUUID() }],
    [tenant, { transaction: undefined, transaction_id: captured.id }],
    [tenant, { template_id: randomUUID() }],
    [tenant, { expires_at: inHours(0) }],
    [tenant, { expires_at: inHours(70 * 24 + 1) }],
    [tenant, { reminder_at: inHours(25) }],
    [tenant, { reminder_at: inHours(-1) }],
    [tenant, { recipient: '+4930123456' }],
    [tenant, { transaction: undefined }],
    [tenant, { transaction_id: captured.id }],
  ]
  const outcomes: unknown[] = []
  for (const [of, fields] of cases) {
    const reply = await of.post(codesPath, of.draft(fields))
    outcomes.push([...outcome(reply), reply.body.errors?.[0]?.pointer])
  }
  expect(outcomes).toEqual([
    [404, 'business_unit_not_found', undefined],
    [409, 'business_unit_deleted', undefined],
    [422, 'payment_orchestrator_without_page', undefined],
    [404, 'transaction_not_found', undefined],
    [409, 'transaction_not_payable', undefined],
    [422, 'template_unusable', '/template_id'],
    [400, 'invalid_request', '/expires_at'],
    [400, 'invalid_request', '/expires_at'],
    [400, 'invalid_request', '/reminder_at'],
    [400, 'invalid_request', '/reminder_at'],
    [400, 'invalid_request', '/recipient'],
    [400, 'invalid_request', '/transaction_id'],
    [400, 'invalid_request', '/transaction_id'],
  ])
  for (const one of [tenant, withoutPage, deleted]) expect(await one.events()).toEqual([])
})

test('a new transaction, an existing one and a capture require their permissions too', async () => {
  const tenant = world.tenant()
  const post = (fields: object, ...permissions: NonNullable<Parameters<World['asTenant']>[1]>) =>
    world.asTenant(tenant.id, permissions).post(codesPath, tenant.draft(fields))
  const start = 'invitetopay:StartTransaction' as const
  const create = 'transaction:CreateTransaction' as const
  const read = 'transaction:ReadTransaction' as const
  const existing = { transaction: undefined, transaction_id: tenant.transaction().id }
  expect(outcome(await post({}, start))).toEqual([403, 'permission_denied'])
  expect(outcome(await post({ capture: true }, start, create))).toEqual([403, 'permission_denied'])
  expect(outcome(await post({ ...existing, capture: true }, start, read))).toEqual([403, 'permission_denied'])
  const toCapture = { transaction: undefined, transaction_id: tenant.transaction({ capture: true }).id }
  expect(outcome(await post(toCapture, start, read))).toEqual([403, 'permission_denied'])
  expect(outcome(await post(existing, start))).toEqual([403, 'permission_denied'])
  expect((await post({ ...toCapture, capture: false }, start, read)).status).toBe(201)
  expect((await post(existing, start, read)).status).toBe(201)
  expect((await post({}, start, create)).status).toBe(201)
})

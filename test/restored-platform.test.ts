/** @slow It starts its own platform. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Service, withClient } from '@payments/devkit/servers/databases'
import { type Received, type Receiver, receiver } from '@payments/testing/peers/receiver'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import { readBooks } from '@payments/testing/platform/payment-books'
import { blocks, createBackupRole, loseAll, order, readIncarnations, type Shell, shellFor } from './restore/commands.ts'
import { type Call, createCaller, type Onboarded, onboard } from './tenant.ts'
import { until } from './until.ts'

/**
 * The commands of docs/backup.md on a running platform: a backup while tenants pay, the loss of all databases and of
 * the broker's data, a restore, and the state of every event, the books and the audit chains afterwards.
 */
const waitMs = 120_000
let platform: TestStack
let endpoint: Receiver
let acme: Onboarded
let admin: Call
let directory: string
let run: Shell['run']

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'restore-'))
  const env = { WEBHOOKS_RETRY_SCHEDULE: '0s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s', AUDIT_SEAL_INTERVAL_MS: '200' }
  ;[platform, endpoint] = await Promise.all([startTestStack({ env }), receiver()])
  ;({ run } = shellFor(platform.databases, join(directory, 'backup'), () => keys.disabled?.id ?? ''))
  acme = await onboard(platform, 'Acme')
  admin = createCaller(platform, acme.api_key.value, acme.tenant_id)
}, 240_000)

afterAll(async () => {
  await platform?.stop()
  await endpoint?.close()
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
}, 120_000)

const eventId = ({ body }: Received): string => JSON.parse(body.toString('utf8')).tenant_event_id
const transactionId = ({ body }: Received): string =>
  JSON.parse(body.toString('utf8')).metadata.payload.transaction?.id ?? ''
const arrived = (id: string) => (received: Received) => transactionId(received) === id
const paths = { payments: '/v1/payment-proxy/transactions', keys: '/v1/api-key/keys' }

/** Authorizes and captures: three events. Returns the id of the transaction. */
async function pay(): Promise<string> {
  const authorized = await admin('POST', `${paths.payments}/authorize`, {
    business_unit_id: acme.business_unit_id,
    amount: 1999,
    currency: 'USD',
    payment_details: { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' },
  })
  expect([authorized.status, authorized.body.status]).toEqual([201, 'authorized'])
  const captured = await admin('POST', `${paths.payments}/${authorized.body.id}/capture`, {})
  expect(captured.body.status).toBe('captured')
  return authorized.body.id
}

/** The ids of all events of a service that were committed, or of those that are not published yet. */
async function readEvents(service: Service, condition = 'true'): Promise<string[]> {
  return withClient(platform.databases[service].ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    const { rows } = await owner.query<{ id: string }>(`SELECT id FROM outbox_events WHERE ${condition}`)
    return rows.map(({ id }) => id)
  })
}

const eventually = (condition: () => Promise<boolean>) => until(condition.toString(), condition, waitMs)
const published = () => eventually(async () => (await readEvents('payment-proxy', 'published_at IS NULL')).length === 0)
const keys: Record<'early' | 'revoked' | 'disabled', { id: string; value: string }> = {} as never
const readStatus = async ({ value }: { value: string }) =>
  (await createCaller(platform, value, acme.tenant_id)('GET', '/v1/api-key/keys/self')).status
const payments: Record<'delivered' | 'inBroker' | 'betweenDumps' | 'lost', string> = {} as never
const checkpoints = { before: '', after: '' }
let incarnations: string[] = []
let receivedBefore = 0

/** Whether a seal of the tenant's chain contains a record of the operation. */
async function isInCheckpoint(operation: string): Promise<boolean> {
  return withClient(platform.databases.audit.ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    const { rowCount } = await owner.query(
      `SELECT FROM audit_seals JOIN audit_records USING (tenant_id)
       WHERE tenant_id = $1 AND operation = $2 AND position BETWEEN from_position AND to_position`,
      [acme.tenant_id, operation],
    )
    return rowCount !== 0
  })
}

async function saveCheckpoints(name: string): Promise<string> {
  const { code, stdout } = await platform.payctl('audit', 'checkpoints')
  expect([code, stdout.length > 0]).toEqual([0, true])
  const file = join(directory, `${name}.json`)
  writeFileSync(file, stdout)
  return file
}

test('dumps every database while events are delivered, wait in the broker, and are committed between the dumps', async () => {
  const unit = `/v1/webhooks/${acme.business_unit_id}/webhooks`
  const types = { event_types: ['payment-proxy.transactions.*'] }
  expect((await admin('POST', unit, { destination_url: endpoint.url, ...types })).status).toBe(201)
  for (const name of ['early', 'revoked', 'disabled'] as const) {
    const created = await admin('POST', paths.keys, { name })
    keys[name] = created.body
    expect(await readStatus(created.body)).toBe(200)
  }
  payments.delivered = await pay()
  await eventually(async () => {
    const { body } = await admin('GET', `/v1/webhooks/${acme.business_unit_id}/deliveries?status=delivered`)
    return body.data.length === 3
  })
  await platform.kill('webhooks-dispatcher')
  payments.inBroker = await pay()
  await published()
  await eventually(() => isInCheckpoint('createKey'))
  checkpoints.before = await saveCheckpoints('before')

  await createBackupRole()
  await run(blocks.grants, order)
  await run(blocks.dump, order.slice(0, 1), 'payments_backup')
  payments.betweenDumps = await pay()
  await published()
  await run(blocks.dump, order.slice(1), 'payments_backup')
}, 400_000)

test('after the backup, everything arrives, a key is revoked, and a payment is made that the loss takes with it', async () => {
  await platform.restart('webhooks-dispatcher')
  payments.lost = await pay()
  for (const key of [keys.revoked, keys.disabled]) {
    expect((await admin('DELETE', `${paths.keys}/${key.id}`)).status).toBe(204)
    expect(await readStatus(key)).toBe(401)
  }
  for (const id of [payments.inBroker, payments.betweenDumps, payments.lost])
    await endpoint.waitFor(arrived(id), { count: 3, timeoutMs: waitMs })
  incarnations = await readIncarnations(platform.databases)
  await eventually(() => isInCheckpoint('deleteKey'))
  checkpoints.after = await saveCheckpoints('after')
}, 400_000)

test('restores all databases into empty ones after the loss of everything, and starts on an empty broker', async () => {
  receivedBefore = endpoint.received.length
  await platform.restartAfter(async () => {
    await loseAll(platform.databases)
    for (const block of [blocks.restore, blocks.incarnation, blocks.disable, blocks.endSessions])
      await run(block, order, 'payments_owner')
  })
  for (const [i, value] of (await readIncarnations(platform.databases)).entries())
    expect(value).not.toBe(incarnations[i])
}, 400_000)

test('delivers every event that was committed before the backup; a delivered one is not sent twice', async () => {
  const since = () => endpoint.received.slice(receivedBefore)
  const ofBackup = await readEvents('payment-proxy')
  expect(ofBackup).toHaveLength(9)
  for (const id of [payments.inBroker, payments.betweenDumps])
    await eventually(async () => new Set(since().filter(arrived(id)).map(eventId)).size === 3)
  const everReceived = new Set(endpoint.received.map(eventId))
  expect(ofBackup.filter((id) => !everReceived.has(id))).toEqual([])
  const next = await pay()
  await endpoint.waitFor(arrived(next), { count: 3, timeoutMs: waitMs })
  expect(since().filter(arrived(payments.delivered))).toEqual([])
  expect(since().filter(arrived(payments.lost))).toEqual([])
}, 400_000)

test('the books are exact, and do not have the payment after the backup', async () => {
  expect((await admin('GET', `${paths.payments}/${payments.lost}`)).status).toBe(404)
  const books = await readBooks(platform.databases['payment-proxy'].ownerUrl)
  expect(books).toMatchObject({ transactions: 4, open: 0, differences: [] })
  expect((await platform.payctl('payments', 'open', '--json')).stdout.trim()).toBe('[]')
}, 400_000)

test('the audit chains verify, contain the checkpoints of the backup, and miss those of the lost records', async () => {
  expect(await platform.payctl('audit', 'verify')).toMatchObject({ code: 0 })
  expect(await platform.payctl('audit', 'verify', '--checkpoints', checkpoints.before)).toMatchObject({ code: 0 })
  const late = await platform.payctl('audit', 'verify', '--checkpoints', checkpoints.after)
  expect([late.code, late.output.includes('checkpoint_missed')]).toEqual([1, true])
}, 400_000)

test('a key that was revoked after the backup works again, unless the document disabled it or it is revoked again', async () => {
  expect(await readStatus(keys.disabled)).toBe(401)
  expect(await readStatus(keys.early)).toBe(200)
  expect(await readStatus(keys.revoked)).toBe(200)
  expect((await admin('DELETE', `${paths.keys}/${keys.revoked.id}`)).status).toBe(204)
  expect(await readStatus(keys.revoked)).toBe(401)
}, 120_000)

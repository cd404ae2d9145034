import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { directoryWith, searchPath, versionedDirectories } from '@payments/devkit/machine/machine'
import { root } from '@payments/devkit/machine/profile'
import { rolePassword } from '@payments/devkit/machine/secrets'
import { createDatabase, type Service, services, withClient } from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import { type Received, type Receiver, receiver } from '@payments/testing/peers/receiver'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import { readBooks } from '@payments/testing/platform/payment-books'
import { type Call, callerOf, type Onboarded, onboard } from './tenant.ts'
import { until } from './until.ts'

/**
 * The commands of docs/backup.md on a running platform: a backup while tenants pay, the loss of all databases and of
 * the broker's data, a restore, and the state of every event, the books and the audit chains afterwards.
 */
const programs = directoryWith(
  ['psql', 'pg_dump', 'pg_restore'],
  [...searchPath(), ...versionedDirectories('/usr/lib/postgresql', 'bin')],
)
const adminUrl = testAddress('TEST_DATABASE_URL')
const waitMs = 120_000
let platform: TestStack
let endpoint: Receiver
let acme: Onboarded
let admin: Call
let directory: string

beforeAll(async () => {
  if (programs === undefined) throw new Error('psql, pg_dump and pg_restore are missing: apt-get install postgresql')
  directory = mkdtempSync(join(tmpdir(), 'restore-'))
  const env = { WEBHOOKS_RETRY_SCHEDULE: '0s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s', AUDIT_SEAL_INTERVAL_MS: '200' }
  ;[platform, endpoint] = await Promise.all([startTestStack({ env }), receiver()])
  acme = await onboard(platform, 'Acme')
  admin = callerOf(platform, acme.api_key.value, acme.tenant_id)
}, 240_000)

afterAll(async () => {
  await platform?.stop()
  await endpoint?.close()
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
}, 120_000)

/** The blocks of shell commands of a section of the document, in order. */
function commandsOf(section: string): string[] {
  const document = readFileSync(join(root, 'docs', 'backup.md'), 'utf8')
  const [, text = ''] = new RegExp(`^## ${section}$(.*?)(?=^## )`, 'ms').exec(document) ?? []
  return [...text.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, block]) => block ?? '')
}

const [settings = '', grants = '', dump = ''] = commandsOf('Back up with pg_dump')
const [restore = '', incarnation = '', disable = ''] = commandsOf('Restore')

/** The order of the document. */
const order = [...(/DATABASES="([^"]*)"/.exec(settings)?.[1] ?? '').matchAll(/payments_(\w+)/g)].map(
  ([, name = '']) => name.replaceAll('_', '-') as Service,
)
const nameOf = (service: Service) => new URL(platform.databases[service].url).pathname.slice(1)

/** Runs a block as a role of PostgreSQL; without a role as the administrator. */
async function shell(
  block: string,
  of: readonly Service[],
  role?: 'payments_owner' | 'payments_backup',
): Promise<void> {
  const { hostname, port, username, password } = new URL(adminUrl)
  const env = {
    PATH: `${programs}:${process.env['PATH']}`,
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: role ?? username,
    PGPASSWORD: role === undefined ? decodeURIComponent(password) : passwordOf(role),
    PGCONNECT_TIMEOUT: '30',
    BACKUP: join(directory, 'backup'),
    DATABASES: of.map(nameOf).join(' '),
    AUTHORIZATION_DATABASES: [nameOf('api-key'), nameOf('rbac')].join(' '),
    API_KEY_DATABASE: nameOf('api-key'),
    REVOKED_KEYS: keys.disabled?.id ?? '',
  }
  await promisify(execFile)('sh', ['-uc', block], { env, timeout: 180_000 })
}

const passwordOf = (role: string) => rolePassword(adminUrl, role)

/** The statement of the document. The role stays with the server, for all tests. */
async function createBackupRole(): Promise<void> {
  const document = readFileSync(join(root, 'docs', 'backup.md'), 'utf8')
  const statement = /^CREATE ROLE payments_backup .*;$/m.exec(document)?.[0] ?? ''
  expect(statement).toContain('BYPASSRLS IN ROLE pg_read_all_data')
  await withClient(adminUrl, async (client) => {
    const { rowCount } = await client.query(`SELECT FROM pg_roles WHERE rolname = 'payments_backup'`)
    const password = `'${passwordOf('payments_backup')}'`
    if (rowCount === 0) await client.query(statement.replace("'…'", password))
    else await client.query(`ALTER ROLE payments_backup PASSWORD ${password}`)
  })
}

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
async function eventsOf(service: Service, condition = 'true'): Promise<string[]> {
  return withClient(platform.databases[service].ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    const { rows } = await owner.query<{ id: string }>(`SELECT id FROM outbox_events WHERE ${condition}`)
    return rows.map(({ id }) => id)
  })
}

const eventually = (condition: () => Promise<boolean>) => until(condition.toString(), condition, waitMs)
const published = () => eventually(async () => (await eventsOf('payment-proxy', 'published_at IS NULL')).length === 0)
const keys: Record<'early' | 'revoked' | 'disabled', { id: string; value: string }> = {} as never
const statusOf = async ({ value }: { value: string }) =>
  (await callerOf(platform, value, acme.tenant_id)('GET', '/v1/api-key/keys/self')).status
const payments: Record<'delivered' | 'inBroker' | 'betweenDumps' | 'lost', string> = {} as never
const checkpoints = { before: '', after: '' }
let incarnations: string[] = []
let receivedBefore = 0

async function readIncarnations(): Promise<string[]> {
  return Promise.all(
    (['api-key', 'rbac'] as const).map((service) =>
      withClient(platform.databases[service].ownerUrl, async (owner) => {
        await owner.query(`SET app.tenant_id = '*'`)
        const { rows } = await owner.query<{ incarnation: string }>('SELECT incarnation FROM authz_epoch')
        return rows[0]?.incarnation ?? 'none'
      }),
    ),
  )
}

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

test('the document names every database, consumers of events before their producers', () => {
  expect([...order].sort()).toEqual([...services].sort())
  const isBefore = (first: Service, second: Service) => expect(order.indexOf(first)).toBeLessThan(order.indexOf(second))
  for (const producer of ['payment-proxy', 'business-unit', 'api-key', 'rbac'] as const) isBefore('webhooks', producer)
  isBefore('invite-to-pay', 'payment-proxy')
  for (const copier of ['webhooks', 'payment-proxy', 'communication', 'invite-to-pay'] as const)
    isBefore(copier, 'business-unit')
  expect(order.at(-1)).toBe('audit')
})

test('a dump that fails ends the backup, and is not named as a good one', async () => {
  await createBackupRole()
  const ofNothing = dump.replaceAll('$DATABASES', 'no_such_database')
  await expect(shell(ofNothing, [], 'payments_backup')).rejects.toThrow('no_such_database')
  expect(existsSync(join(directory, 'backup', 'no_such_database.dump'))).toBe(false)
})

test('dumps every database while events are delivered, wait in the broker, and are committed between the dumps', async () => {
  const unit = `/v1/webhooks/${acme.business_unit_id}/webhooks`
  const types = { event_types: ['payment-proxy.transactions.*'] }
  expect((await admin('POST', unit, { destination_url: endpoint.url, ...types })).status).toBe(201)
  for (const name of ['early', 'revoked', 'disabled'] as const) {
    const created = await admin('POST', paths.keys, { name })
    keys[name] = created.body
    expect(await statusOf(created.body)).toBe(200)
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
  await shell(grants, order)
  await shell(dump, order.slice(0, 1), 'payments_backup')
  payments.betweenDumps = await pay()
  await published()
  await shell(dump, order.slice(1), 'payments_backup')
}, 400_000)

test('after the backup, everything arrives, a key is revoked, and a payment is made that the loss takes with it', async () => {
  await platform.restart('webhooks-dispatcher')
  payments.lost = await pay()
  for (const key of [keys.revoked, keys.disabled]) {
    expect((await admin('DELETE', `${paths.keys}/${key.id}`)).status).toBe(204)
    expect(await statusOf(key)).toBe(401)
  }
  for (const id of [payments.inBroker, payments.betweenDumps, payments.lost])
    await endpoint.waitFor(arrived(id), { count: 3, timeoutMs: waitMs })
  incarnations = await readIncarnations()
  await eventually(() => isInCheckpoint('deleteKey'))
  checkpoints.after = await saveCheckpoints('after')
}, 400_000)

test('restores all databases into empty ones after the loss of everything, and starts on an empty broker', async () => {
  receivedBefore = endpoint.received.length
  await platform.restartAfter(async () => {
    for (const service of services) await platform.databases[service].drop()
    await withClient(adminUrl, async (client) => {
      for (const service of services) await createDatabase(client, adminUrl, service, nameOf(service))
    })
    await shell(restore, order, 'payments_owner')
    await shell(incarnation, order, 'payments_owner')
    await shell(disable, order, 'payments_owner')
  })
  for (const [i, value] of (await readIncarnations()).entries()) expect(value).not.toBe(incarnations[i])
}, 400_000)

test('delivers every event that was committed before the backup; a delivered one is not sent twice', async () => {
  const since = () => endpoint.received.slice(receivedBefore)
  const ofBackup = await eventsOf('payment-proxy')
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
  expect(await statusOf(keys.disabled)).toBe(401)
  expect(await statusOf(keys.early)).toBe(200)
  expect(await statusOf(keys.revoked)).toBe(200)
  expect((await admin('DELETE', `${paths.keys}/${keys.revoked.id}`)).status).toBe(204)
  expect(await statusOf(keys.revoked)).toBe(401)
}, 120_000)

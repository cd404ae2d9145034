/** @slow It installs a release on its own servers. */
import { execFile } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { find, versionedDirectories } from '@payments/devkit/machine/machine'
import { freePorts } from '@payments/devkit/machine/ports'
import { root } from '@payments/devkit/machine/profile'
import { processNames } from '@payments/devkit/platform/process-plan'
import { type ProcessGroup, processGroup } from '@payments/devkit/processes/process-group'
import { createDatabase, ensureRoles, withClient } from '@payments/devkit/servers/databases'
import { type PrivateServers, privateServers } from '@payments/testing/platform/servers'
import { Webhook } from 'standardwebhooks'
import { certificate } from './deploying/certificate.ts'
import { type Endpoint, startEndpoint } from './deploying/endpoint.ts'
import { findBlock, findBlocks, listExports, type Shell, shell } from './deploying/page.ts'
import { startUnit } from './deploying/supervisor.ts'

/**
 * docs/deploying.md, "Without Kubernetes", for qa: the commands of the page, in their order, on private servers and in
 * an empty folder outside of the checkout. Each test needs the previous ones.
 */
const receiverName = 'hooks.example.com'
let directory: string
let servers: PrivateServers
let group: ProcessGroup
let endpoint: Endpoint
let bash: Shell
let tenant: { tenant_id: string; business_unit_id: string; api_key: { value: string } }
let gatewayUrl: string

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'installation-'))
  group = processGroup()
  const [started, own] = await Promise.all([privateServers(), startEndpoint(receiverName)])
  endpoint = own
  if (started === undefined) throw new Error('PostgreSQL or RabbitMQ is missing')
  servers = started
  bash = shell(variables(servers), functions(servers))
}, 180_000)
afterAll(async () => {
  await group?.close()
  // rmSync needs a minute for the dependencies of twelve deployed packages.
  const removed = directory === undefined ? undefined : promisify(execFile)('rm', ['-rf', directory])
  await Promise.all([servers?.stop(), endpoint?.close(), removed])
}, 180_000)

const installation = () => join(directory, 'etc')
const releases = () => join(directory, 'opt')

/** The values of the block "Variables" on this machine. */
function variables({ databaseUrl, amqpUrl }: PrivateServers): NodeJS.ProcessEnv {
  const own: Record<string, string> = {
    ENVIRONMENT: 'qa',
    RELEASE: '1.2.3',
    RELEASES: releases(),
    INSTALLATION: installation(),
    STATE: join(directory, 'var'),
    POSTGRES: `postgresql://${new URL(databaseUrl).host}`,
    POSTGRES_ADMIN: databaseUrl,
    RABBITMQ: `amqp://${new URL(amqpUrl).host}/payments`,
    HOST_NAME: 'pay.qa.example.com',
  }
  expect(listExports(findBlock('Variables')).sort()).toEqual(Object.keys(own).sort())
  // The reverse proxy adds the header to every request.
  mkdirSync(join(directory, 'curl'))
  writeFileSync(join(directory, 'curl', '.curlrc'), 'header = "X-Forwarded-For: 203.0.113.7"\n')
  const inherited = Object.fromEntries(['PATH', 'HOME', 'TMPDIR', 'LANG'].map((name) => [name, process.env[name]]))
  return { ...inherited, ...own, CURL_HOME: join(directory, 'curl'), CI: 'true' }
}

/** The pinned pnpm, and the administrator's tools of the private servers. */
function functions({ amqpUrl, logDirectory }: PrivateServers): string {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const sbin = [...versionedDirectories('/usr/lib/rabbitmq/lib', 'sbin'), '/opt/homebrew/sbin', '/usr/local/sbin']
  const broker = [
    `HOME='${join(dirname(logDirectory), 'rabbitmq')}'`,
    'RABBITMQ_NODENAME=payments-dev@localhost',
    `ERL_EPMD_PORT=${Number(new URL(amqpUrl).port) + 2}`,
    'RABBITMQ_CONF_ENV_FILE=/dev/null',
  ]
  return [
    // One call of npx per shell: each takes a second.
    `pnpm() { PNPM=\${PNPM:-$(npx --yes --package ${packageManager} -c 'command -v pnpm')}`,
    '"$PNPM" --pm-on-fail=ignore --prefer-offline --config.minimum-release-age=0 "$@"; }',
    // Debian's own wrapper on the path requires another user.
    `rabbitmqctl() { env ${broker.join(' ')} '${sbin.map((path) => join(path, 'rabbitmqctl')).find((file) => existsSync(file))}' "$@"; }`,
    ...(find('psql') === undefined ? ['psql() { :; }'] : []),
  ].join('\n')
}

/** Writes the settings with free ports, chosen as late as possible: another process could take one of them. */
async function writeSettings(): Promise<void> {
  const block = findBlock('Write the settings')
  const named = [...new Set(block.match(/\b[89]0[89]\d\b/g) ?? [])]
  const free = await freePorts(named.length)
  const ports = new Map(named.map((port, index) => [port, free[index] ?? 0]))
  gatewayUrl = `http://127.0.0.1:${ports.get('8080')}`
  await bash.run(block.replaceAll(/\b[89]0[89]\d\b/g, (port) => String(ports.get(port))))
}

test('deploys each process into a folder of its own, outside of the checkout', async () => {
  const before = readFileSync(join(root, 'pnpm-lock.yaml'))
  await bash.run(findBlock('Deploy'))
  for (const entry of ['gateway', 'services/webhooks', 'packages/payctl'])
    expect(existsSync(join(releases(), 'current', entry, 'dist', 'main.js'))).toBe(true)
  expect(readFileSync(join(root, 'pnpm-lock.yaml'))).toEqual(before)
}, 300_000)

test('generates the secrets, creates databases and users, and migrates; a second run changes no secret', async () => {
  const generate = findBlock('Generate the secrets')
  expect(await bash.run(generate)).toContain('secrets/gateway.env: added')
  const secrets = readFileSync(join(installation(), 'secrets', 'rbac.env'), 'utf8')
  expect(await bash.run(generate)).not.toContain('added')
  expect(readFileSync(join(installation(), 'secrets', 'rbac.env'), 'utf8')).toBe(secrets)
  const commands = findBlock('Create roles, databases and users')
  await createDatabases()
  await bash.run(commands)
  // Repeated, as after an upgrade.
  await createDatabases()
  await bash.run(commands.split('\n')[0] ?? '')
  const { settings } = endpoint
  const certificateFile = join(directory, 'receiver.pem')
  writeFileSync(certificateFile, certificate.cert)
  await writeSettings()
  const added = Object.entries({ ...settings, DRAIN_DELAY_MS: '0', NODE_EXTRA_CA_CERTS: certificateFile })
  appendFileSync(join(installation(), 'settings.env'), added.map(([name, value]) => `${name}=${value}\n`).join(''))
  expect(await bash.run(findBlock('Migrate'))).toMatch(/^rbac: applied /m)
}, 300_000)

/** On a machine without psql: runs the script with its commands `\connect` and `\gexec`. */
async function createDatabases(): Promise<void> {
  if (find('psql') !== undefined) return
  const adminUrl = servers.databaseUrl
  const script = readFileSync(join(installation(), 'postgresql.sql'), 'utf8').replace(/^\\set .*$/m, '')
  const [first = '', ...others] = script.split(/^\\connect /m)
  const parts = [['postgres', first], ...others.map((part) => part.split(/\n([^]*)/))]
  for (const [database = '', text = ''] of parts) {
    const url = new URL(adminUrl)
    url.pathname = `/${database.replaceAll('"', '')}`
    await withClient(url.href, async (client) => {
      const statements = text.split(/;$|(?<=\\gexec)$/m).map((one) => one.trim())
      for (const statement of statements.filter((one) => one !== '')) {
        const { rows } = await client.query(statement.replace('\\gexec', ''))
        if (statement.endsWith('\\gexec')) for (const row of rows) await client.query(String(Object.values(row)[0]))
      }
    })
  }
}

test('every process becomes ready, started as the unit says', async () => {
  const unit = {
    text: findBlock('Start', 'ini'),
    directories: { '/etc/payments': installation(), '/opt/payments': releases() },
    env: { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: join(directory, 'receiver.pem') },
    logDirectory: join(directory, 'logs'),
  }
  const started = processNames.map((name) => startUnit(unit, name, group))
  const states = await Promise.all(started.map(({ ready }) => ready()))
  for (const state of states) expect(state).toMatchObject({ status: 'ready' })
}, 300_000)

test('the first tenant pays, and the signed webhook arrives at the https receiver', async () => {
  await bash.run(findBlock('Create the first tenant'))
  tenant = JSON.parse(readFileSync(join(installation(), 'acme.json'), 'utf8'))
  expect(tenant.api_key.value).toMatch(/^psk_qa_/)
  expect(statSync(join(installation(), 'acme.json')).mode & 0o777).toBe(0o600)
  const [definitions = '', commands = '', checks = ''] = findBlocks('Check')
  const own = `export API=${gatewayUrl}/v1 TENANT=${tenant.tenant_id} UNIT=${tenant.business_unit_id} KEY=${tenant.api_key.value}`
  expect(listExports(definitions).sort()).toEqual(['API', 'KEY', 'TENANT', 'UNIT'])
  const helpers = `${own}\n${definitions.replaceAll(/^export .*$/gm, '')}`
  // A first attempt may fail: the page ends with the first outcome, the test with the delivery.
  const untilDelivered = commands.replace('(delivered|retrying|dead)', '(delivered)')
  expect(untilDelivered).not.toBe(commands)
  const [id, status, deliveries = ''] = (await bash.run(`${helpers}\n${untilDelivered}`)).trim().split('\n')
  expect(status).toBe('authorized')
  expect(deliveries).toContain('"status":"delivered"')
  const revealed = await bash.run(`${helpers}\ncall "$API/webhooks/$UNIT/webhooks/${id}/reveal" | field secret`)
  const verifier = new Webhook(revealed.trim())
  const messages = endpoint.received.map(({ headers, body }) =>
    verifier.verify(body, headers as Record<string, string>),
  )
  const paid = { tenant_id: tenant.tenant_id, event_type: 'payment-proxy.transactions.authorize' }
  expect(messages).toContainEqual(expect.objectContaining(paid))
  expect(endpoint.tunnels[0]).toBe('93.184.215.14:443')
  const [operator = ''] = /^operator\(\) \{.*?^\}/ms.exec(findBlock('Create the first tenant')) ?? []
  expect(await bash.run(`${operator}\n${checks}`)).toContain('webhooks.dead-letters')
}, 300_000)

test.each([
  ['http', 'http://hooks.example.com/payments'],
  ['a private address', 'https://127.0.0.1/payments'],
])('qa rejects %s as a destination', async (_case, url) => {
  const response = await fetch(`${gatewayUrl}/v1/webhooks/${tenant.business_unit_id}/webhooks`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tenant.api_key.value}`,
      'tenant-id': tenant.tenant_id,
      'trace-id': '019a0000-0000-7000-8000-000000000001',
      'content-type': 'application/json',
      'x-forwarded-for': '203.0.113.7',
    },
    body: JSON.stringify({ destination_url: url }),
  })
  expect(response.status).toBe(422)
})

test('the script for PostgreSQL gives the privileges that development has', async () => {
  await group.close()
  const { databaseUrl } = servers
  const made = await withClient(databaseUrl, async (admin) => {
    await ensureRoles(admin, databaseUrl)
    await createDatabase(admin, databaseUrl, 'rbac', 'of_development')
    return Promise.all(['of_development', 'payments_rbac'].map((database) => readPrivileges(databaseUrl, database)))
  })
  expect(made[0]).toEqual(made[1])
  expect(JSON.stringify(made)).toContain('payments_rbac_app=')
})

function readPrivileges(adminUrl: string, database: string): Promise<unknown> {
  const url = new URL(adminUrl)
  url.pathname = `/${database}`
  return withClient(url.href, async (client) => {
    const queries = [
      `SELECT defaclnamespace::regnamespace::text AS schema, defaclobjtype AS kind, defaclacl::text AS acl
       FROM pg_default_acl ORDER BY 1, 2`,
      `SELECT nspacl::text AS acl FROM pg_namespace WHERE nspname = 'public'`,
      'SELECT datacl::text AS acl FROM pg_database WHERE datname = current_database()',
    ]
    const results = []
    for (const query of queries) results.push((await client.query(query)).rows)
    return results
  })
}

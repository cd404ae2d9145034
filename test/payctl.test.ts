import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { sandboxOrchestratorId } from '@payments/contracts/nouns/sandbox-orchestrator'
import { communicationContract } from '@payments/contracts/services/communication/contract'
import { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import { ensureDemo, payctl as startPayctl } from '@payments/devkit/platform/demo'
import { withClient } from '@payments/devkit/servers/databases'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { readLogs } from './logs.ts'
import { createPeek, publishUnreadable } from './quarantined-messages.ts'
import { callPayctl, createCaller, type Onboarded, onboard } from './tenant.ts'
import { eventually } from './tenant-resources.ts'

/** payctl against running services; packages/payctl tests the command line alone. */
const platform = sharedPlatform()
const payctl = (...args: string[]) => callPayctl(platform, ...args)
let acme: Onboarded

beforeAll(async () => {
  acme = await eventually(startOnboarding, 'a tenant that a process of payctl onboards', 60_000)
}, 120_000)

/** Undefined where a busy machine exceeded the time-out of a call between services. */
async function startOnboarding(): Promise<Onboarded | undefined> {
  const { code, stdout, output } = await platform.payctl('tenant', 'create', '--name', 'Acme', '--json', '--show-key')
  if (output.includes('service_unavailable')) return undefined
  expect([code, output]).toEqual([0, stdout])
  return JSON.parse(stdout)
}

const token = (tenant: string, role: string, ...more: string[]) =>
  payctl('token', '--tenant', tenant, '--role', role, ...more)

test('issues a token for a tenant and a role of the tenant, valid for the requested time', async () => {
  const { code, stdout } = await token(acme.tenant_id, 'viewer', '--ttl', '60', '--json')
  expect(code).toBe(0)
  const bearer = String(JSON.parse(stdout).token)
  const [header, claims] = bearer
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
  expect(header).toMatchObject({ alg: 'ES256', kid: expect.stringMatching(/^[\w-]{43}$/) })
  expect(claims).toMatchObject({ tenant_id: acme.tenant_id, roles: ['viewer'], aud: 'payment-service' })
  expect(claims.exp - claims.iat).toBe(60)
  const reply = await createCaller(platform, bearer, null)('GET', '/v1/rbac/roles')
  expect(reply.status).toBe(200)
})

test.each([
  ['an unknown tenant', () => token(randomUUID(), 'viewer'), 'payctl: Tenant not found (tenant_not_found)\n'],
  ['an unknown role', () => token(acme.tenant_id, 'auditor'), 'payctl: The tenant has no role "auditor"\n'],
  ["a role's id in place of its name", () => token(acme.tenant_id, acme.roles[0]?.id ?? ''), undefined],
])('no token is issued for %s', async (_case, issue, message) => {
  const { code, stdout, output } = await issue()
  expect([code, stdout]).toEqual([1, ''])
  expect(output).toEqual(message ?? expect.stringMatching(/^payctl: The tenant has no role "[0-9a-f-]{36}"\n$/))
})

test('lists and shows tenants', async () => {
  const { code, stdout } = await payctl('tenant', 'list', '--status', 'active', '--json')
  expect(code).toBe(0)
  const row = { tenant_id: acme.tenant_id, name: 'Acme', status: 'active' }
  const instants = { created_at: expect.any(String), updated_at: expect.any(String) }
  expect(JSON.parse(stdout)).toContainEqual({ ...row, ...instants })
  expect((await payctl('tenant', 'list')).stdout).toContain(acme.tenant_id)
  const shown = await payctl('tenant', 'show', acme.tenant_id, '--json')
  const roles = acme.roles.map((role) => ({ ...role, kind: 'built_in' }))
  expect(JSON.parse(shown.stdout)).toEqual({
    ...row,
    ...instants,
    roles: expect.arrayContaining(roles),
    api_keys: { total: 1, usable: 1 },
  })
  const fields = await payctl('tenant', 'show', acme.tenant_id)
  expect(fields.stdout).toMatch(/^role viewer +[0-9a-f-]{36}$/m)
})

test('issues a key to a tenant that lost its last key, and shows the value once', async () => {
  const { tenant_id, api_key } = await onboard(platform, 'Lost')
  const issue = (role: string) => payctl('key', 'issue', '--tenant', tenant_id, '--role', role, '--json', '--show-key')
  expect(await issue('viewer')).toMatchObject({
    code: 1,
    output: 'payctl: The tenant has a usable API key (tenant_has_key)\n',
  })
  await withClient(platform.databases['api-key'].ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    await owner.query('UPDATE keys SET enabled = false WHERE id = $1', [api_key.id])
  })
  const unknown = await issue('auditor')
  const message = expect.stringMatching(/--role: the tenant has no role "auditor"; it has .*\badmin\b/)
  expect(unknown).toMatchObject({ code: 1, output: message })
  const { code, stdout } = await issue('viewer')
  expect(code).toBe(0)
  const issued = JSON.parse(stdout)
  expect(issued).toMatchObject({ tenant_id, role: 'viewer', api_key: { name: 'Issued by an operator' } })
  const call = createCaller(platform, issued.api_key.value, tenant_id)
  expect((await call('GET', '/v1/api-key/keys/self')).body).toMatchObject({
    id: issued.api_key.id,
    roles: [{ name: 'viewer' }],
  })
  const logs = readLogs(platform.logDirectory)
  expect(logs.length).toBeGreaterThan(3)
  expect(logs.filter((text) => text.includes(issued.api_key.value))).toEqual([])
  const stored = await withClient(platform.databases['api-key'].ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    return JSON.stringify((await owner.query('SELECT record FROM operator_calls')).rows)
  })
  expect(stored).not.toContain(issued.api_key.value)
})

test.each([
  ['an unknown tenant', () => randomUUID(), 'payctl: Tenant not found (tenant_not_found)\n'],
  ['a suspended tenant', () => suspendTenant(), 'payctl: The tenant is suspended (tenant_suspended)\n'],
])('issues no key to %s', async (_case, chooseTenant, message) => {
  const choice = ['--tenant', await chooseTenant(), '--role', 'admin', '--show-key']
  const { code, stdout, output } = await payctl('key', 'issue', ...choice)
  expect([code, stdout, output]).toEqual([1, '', message])
})

async function suspendTenant(): Promise<string> {
  const { tenant_id } = await onboard(platform, 'Suspended')
  expect((await payctl('tenant', 'suspend', tenant_id)).code).toBe(0)
  return tenant_id
}

const unitPath = (id: string) => `/v1/business-unit/business-units/${id}`
const asAcme = (path: string) => createCaller(platform, acme.api_key.value, acme.tenant_id)('GET', path)

test('a new tenant has a business unit, whose default payment orchestrator is a sandbox', async () => {
  const { body: unit } = await asAcme(unitPath(acme.business_unit_id))
  expect(unit).toMatchObject({ name: 'Acme', status: 'active' })
  const path = `${unitPath(unit.id)}/payment-orchestrators/${acme.payment_orchestrator_id}`
  expect((await asAcme(path)).body).toMatchObject({ payment_gateway: 'sandbox', is_default: true, status: 'active' })
})

test('provisions a business unit once, and not the unit of another tenant', async () => {
  const unit = randomUUID()
  const provision = (tenant: string, name: string) =>
    payctl('business-unit', 'provision', '--tenant', tenant, '--unit', unit, '--name', name, '--json')
  for (const name of ['Paris', 'Rome']) {
    const { code, stdout } = await provision(acme.tenant_id, name)
    const ids = { business_unit_id: unit, payment_orchestrator_id: sandboxOrchestratorId(unit) }
    expect([code, JSON.parse(stdout)]).toEqual([0, ids])
  }
  expect((await asAcme(unitPath(unit))).body).toMatchObject({ name: 'Paris', version: 1 })
  const { code, output } = await provision(randomUUID(), 'Paris')
  expect([code, output]).toEqual([1, 'payctl: Business unit not found (business_unit_not_found)\n'])
})

test('a name that no business unit may have creates no tenant', async () => {
  const { code, output } = await payctl('tenant', 'create', '--name', 'Ac\u200bme')
  expect(code).toBe(2)
  expect(output).toContain('must be 1 to 200 visible characters')
})

test('npm start provisions and brands the business unit of a stored demo tenant', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'demo-'))
  try {
    const file = join(directory, 'demo.json')
    const unit = randomUUID()
    const { tenant_id, api_key } = acme
    writeFileSync(file, JSON.stringify({ tenant_id, business_unit_id: unit, api_key }))
    const demo = await ensureDemo(directory, platform.gatewayUrl, platform.payctlEnv)
    const expected = {
      tenant_id,
      business_unit_id: unit,
      payment_orchestrator_id: sandboxOrchestratorId(unit),
      api_key,
    }
    expect(demo).toEqual(expected)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(expected)
    expect((await asAcme(unitPath(unit))).body.branding).toMatchObject({ display_name: 'Juniper Coffee' })
  } finally {
    rmSync(directory, { recursive: true })
  }
})

const authorize = async (token: string) => {
  const payment_details = { payment_method: 'CREDIT_CARD', cc_token: `tok_sandbox_${token}` }
  const body = { business_unit_id: acme.business_unit_id, currency: 'EUR', amount: 1999, payment_details }
  const call = createCaller(platform, acme.api_key.value, acme.tenant_id)
  return (await call('POST', '/v1/payment-proxy/transactions/authorize', body)).body.operations[0].id as string
}

test('lists open operations with the reason', async () => {
  const id = await authorize('unknown_forever')
  const { code, stdout } = await payctl('payments', 'open', '--tenant', acme.tenant_id, '--json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject([{ id, state: 'unknown', reason: 'the connector failed', amount: 1999 }])
  const list = await payctl('payments', 'open', '--tenant', acme.tenant_id)
  expect(list.stdout).toMatch(/^\d+ s +…[0-9a-f]{8} +Acme +authorize +19\.99 EUR +unknown: the connector failed$/m)
  expect((await payctl('payments', 'open', '-o', 'wide')).stdout).toContain(id)
})

test('reconciles the books of a day with the provider, and finds what only one side has', async () => {
  const operations = [await authorize('visa'), await authorize('visa')]
  // Around midnight the payments may belong to the day before.
  const days = [new Date(), new Date(Date.now() - 60_000)].map((at) => at.toISOString().slice(0, 10))
  const reconcile = async () => {
    const found: { operation_id: string; kind: string }[] = []
    for (const day of new Set(days)) {
      const args = ['payments', 'reconcile', '--unit', acme.business_unit_id, '--day', day, '--json']
      const { code, stdout } = await payctl(...args)
      const { differences } = JSON.parse(stdout.split('\n', 1)[0] ?? '')
      expect(code).toBe(differences.length === 0 ? 0 : 1)
      found.push(...differences)
    }
    return found.map(({ operation_id: id, kind }) => [id, kind])
  }
  expect(await reconcile()).toEqual([])
  await withClient(platform.databases['payment-proxy'].ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    await owner.query('DELETE FROM sandbox_operations WHERE id = $1', [operations[0]])
    await owner.query('UPDATE sandbox_operations SET amount = 1998 WHERE id = $1', [operations[1]])
  })
  expect(await reconcile()).toEqual([
    [operations[0], 'not_reported'],
    [operations[1], 'amount'],
  ])
})

test('lists the queues of the services that respond, and reports that another one does not', async () => {
  // Nothing listens on port 9.
  const env = { ...platform.payctlEnv, WEBHOOKS_URL: 'http://127.0.0.1:9' }
  const { code, stdout, output } = await startPayctl(['dlq', 'list', '--json'], env)
  const services = ['audit', 'communication', 'invite-to-pay', 'payment-proxy']
  const names = [...services.map((service) => `${service}.quarantine`), 'payment-proxy.quarantined-events']
  expect(code).toBe(1)
  expect(JSON.parse(stdout.split('\n', 1)[0] ?? '')).toEqual(names.map((name) => ({ name, depth: 0, oldest_at: null })))
  expect(output).toMatch(/payctl: The webhooks service cannot be reached/)
})

test.each([
  ['payment-proxy', paymentProxy, ['payment-proxy.business-units']],
  ['communication', communicationContract, ['communication.business-units']],
  ['invite-to-pay', inviteToPay, ['invite-to-pay.business-units', 'invite-to-pay.transactions']],
] as const)('redrives and discards the quarantined messages of %s', async (service, contract, origins) => {
  const queue = `${service}.quarantine`
  const peek = createPeek(platform, service, contract)
  await publishUnreadable(platform, origins)
  const quarantined = async (since: string) => (await peek(queue)).filter(({ dead_at: at }) => String(at) > since)
  const allQuarantined = (since: string) =>
    eventually(
      async () => ((await quarantined(since)).length === origins.length ? true : undefined),
      `${origins.length} messages in ${queue} after ${since}`,
      60_000,
    )
  await allQuarantined('')
  const latest =
    (await quarantined(''))
      .map(({ dead_at: at }) => String(at))
      .sort()
      .at(-1) ?? ''
  const redriven = await payctl('dlq', 'redrive', queue, '--all', '--json')
  expect([redriven.code, JSON.parse(redriven.stdout)]).toEqual([0, { redriven: origins.length }])
  // The consumer rejects each message again, later than before.
  await allQuarantined(latest)
  const [message] = await quarantined('')
  const discarded = await payctl('dlq', 'discard', queue, '--id', message?.id ?? '', '--json')
  expect([discarded.code, JSON.parse(discarded.stdout)]).toEqual([0, { discarded: 1 }])
  expect(await quarantined('')).toHaveLength(origins.length - 1)
  for (const name of [queue, 'webhooks.dead-letters']) {
    const { code, output } = await payctl('dlq', 'redrive', name, '--id', randomUUID(), '--json')
    expect([code, output]).toEqual([1, expect.stringMatching(`"redriven":0}\npayctl: 1 of the ids .*${name}`)])
  }
})

/** @slow It starts payctl some hundred times. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { ensureDemoPeople } from '@payments/devkit/platform/demo-people'
import { withClient } from '@payments/devkit/servers/databases'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { joinTenant } from './people.ts'
import { createCaller, type Onboarded, onboard } from './tenant.ts'
import { until } from './until.ts'

/** The commands of payctl for users, against running services. */
const platform = sharedPlatform()
let acme: Onboarded

beforeAll(async () => {
  acme = await onboard(platform, 'Acme')
}, 120_000)

const user = (verb: string, ...args: string[]) => platform.payctl('user', verb, ...args)
const inAcme = (verb: string, ...args: string[]) => user(verb, '--tenant', acme.tenant_id, ...args)
const json = ({ stdout }: { stdout: string }) => JSON.parse(stdout)
const createAddress = (name: string) => `${name}-${randomUUID()}@example.com`
const roleId = (name: string) => acme.roles.find((role) => role.name === name)?.id ?? ''
const join = (name: string, role = 'viewer', displayed?: string) =>
  joinTenant(platform, {
    tenantId: acme.tenant_id,
    roleIds: [roleId(role)],
    email: createAddress(name),
    ...(displayed === undefined ? {} : { name: displayed }),
  })

test('invites a person once, and prints the link on request only', async () => {
  const email = createAddress('grace')
  const invite = (...more: string[]) => inAcme('invite', '--email', email, '--role', 'admin', ...more)
  const invited = json(await invite('--json'))
  expect(invited).toEqual({
    tenant_id: acme.tenant_id,
    role: 'admin',
    user_invitation: { id: expect.any(String), email, expires_at: expect.any(String) },
  })
  const again = await invite()
  expect(again.code).toBe(1)
  expect(again.output).toContain('payctl: An invitation for this email address is open (user_invitation_exists)')
  const rows: { id: string }[] = json(await inAcme('invitations', '--json'))
  expect(rows.find(({ id }) => id === invited.user_invitation.id)).toMatchObject({ status: 'open', roles: ['admin'] })
  const linked = await inAcme('invite', '--email', createAddress('linked'), '--role', 'viewer', '--print-link')
  expect(linked.stdout).toMatch(/^url +http:\/\/127\.0\.0\.1:\d+\/session\/accept#[\w-]{43}$/m)
})

test('onboards a tenant with an invited administrator', async () => {
  const email = createAddress('first')
  const args = ['tenant', 'create', '--name', 'Beta', '--admin-email', email, '--show-key']
  const created = json(await platform.payctl(...args, '--json'))
  expect(created.user_invitation).toEqual({ id: expect.any(String), email, expires_at: expect.any(String) })
  const beta = createCaller(platform, created.api_key.value, created.tenant_id)
  const read = await beta('GET', `/v1/identity/user-invitations/${created.user_invitation.id}`)
  const admin = created.roles.find((role: { name: string }) => role.name === 'admin')
  expect(read.body).toMatchObject({ email, role_ids: [admin.id], status: 'open' })
})

test('lists users with the names of their roles, and escapes what they wrote', async () => {
  const { userId, email } = await join('mallory', 'viewer', 'Mallory\u001b[2J')
  const [row, ...others] = json(await inAcme('list', '--email', email.toUpperCase(), '--json'))
  expect([row, others]).toMatchObject([{ id: userId, email, roles: ['viewer'], enabled: true }, []])
  const list = await inAcme('list', '--email', email, '-o', 'wide')
  expect(list.stdout).toContain('Mallory\\x1b[2J')
  const sessions = await inAcme('sessions', '--user', userId, '-o', 'wide')
  expect(sessions.stdout).toMatch(/192\.0\.2\.7 +Browser\\u\{202e\}/)
})

test('ends the sessions of a user: their next request is rejected', async () => {
  const { userId, email, call } = await join('olga')
  expect((await call('GET', '/v1/rbac/roles')).status).toBe(200)
  expect(json(await inAcme('sessions', '--email', email, '--json'))).toMatchObject([{ user_id: userId }])
  expect(json(await inAcme('sessions', '--email', email, '--end', '--json'))).toEqual({ ended: 1 })
  expect((await call('GET', '/v1/rbac/roles')).status).toBe(401)
})

test('removes a user, also the last administrator: their next request is rejected', async () => {
  const { userId, email, call } = await join('last', 'admin')
  expect((await call('GET', '/v1/identity/users')).status).toBe(200)
  const removed = await inAcme('remove', '--email', email, '--json')
  expect([removed.code, json(removed)]).toEqual([0, { tenant_id: acme.tenant_id, removed_user_id: userId }])
  expect((await call('GET', '/v1/identity/users')).status).toBe(401)
  const again = await inAcme('remove', '--email', email)
  expect([again.code, again.output]).toEqual([1, `payctl: The tenant has no user with the email address ${email}\n`])
})

test('issues a token for a user: the same person each time, with their current roles', async () => {
  const { userId, email } = await join('dev')
  const issue = async () => json(await platform.payctl('token', '--tenant', acme.tenant_id, '--user', email, '--json'))
  const [first, second] = [await issue(), await issue()]
  for (const { token } of [first, second]) {
    const [, claims = ''] = token.split('.')
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ sub: userId, roles: ['viewer'] })
    const self = await createCaller(platform, token, null)('GET', '/v1/identity/self')
    expect(self.body).toMatchObject({ actor: { type: 'user', id: userId }, session: null })
  }
  const admin = createCaller(platform, acme.api_key.value, acme.tenant_id)
  await admin('PATCH', `/v1/identity/users/${userId}`, { enabled: false })
  const { code, output } = await platform.payctl('token', '--tenant', acme.tenant_id, '--user', email)
  expect([code, output]).toEqual([1, 'payctl: The user is disabled\n'])
})

test('exports a person, and erases name and email address while the id stays', async () => {
  const { userId, email, call } = await join('erin', 'viewer', 'Erin')
  expect((await call('GET', '/v1/rbac/roles')).status).toBe(200)
  const exported = json(await user('export', '--user', userId, '--json'))
  expect(exported).toMatchObject({
    id: userId,
    email,
    name: 'Erin',
    subjects: [{ subject: userId }],
    memberships: [{ tenant_id: acme.tenant_id, enabled: true }],
    sessions: [{ ip: '192.0.2.7' }],
  })
  expect((await user('export', '--user', userId)).stdout).toMatch(new RegExp(`^email +${email}$`, 'm'))
  const erased = json(await user('erase', '--user', userId, '--yes', '--json'))
  expect(erased).toEqual({
    user_id: userId,
    tenant_ids: [acme.tenant_id],
    erased_mails: 0,
    remains: expect.arrayContaining([expect.stringContaining('audit records')]),
  })
  expect((await call('GET', '/v1/rbac/roles')).status).toBe(401)
  const after = json(await user('export', '--user', userId, '--json'))
  expect(after).toMatchObject({ id: userId, email: null, name: null, subjects: [], memberships: [], sessions: [] })
  expect(json(await user('erase', '--user', userId, '--yes', '--json'))).toMatchObject({ tenant_ids: [] })
})

test('erases the address of an invited person from the mail', async () => {
  const { userId, email } = await join('iris')
  const beta = await onboard(platform, 'Gamma')
  await user('invite', '--tenant', beta.tenant_id, '--email', email, '--role', 'viewer')
  const tenant = createCaller(platform, beta.api_key.value, beta.tenant_id)
  const mailed = async () => JSON.stringify((await tenant('GET', '/v1/communication/outbox')).body).includes(email)
  await until('the mail of the invitation', mailed)
  expect(json(await user('erase', '--user', userId, '--yes', '--json'))).toMatchObject({ erased_mails: 1 })
  expect(await mailed()).toBe(false)
})

test('npm start invites the demo people once, and again when an invitation has expired', async () => {
  const demo = await onboard(platform, 'Demo')
  const tenant = createCaller(platform, demo.api_key.value, demo.tenant_id)
  const invitations = async (): Promise<{ email: string; role_ids: string[] }[]> =>
    (await tenant('GET', '/v1/identity/user-invitations')).body.data
  for (const _ of [1, 2]) await ensureDemoPeople(platform.gatewayUrl, demo)
  const roles: { id: string; name: string }[] = (await tenant('GET', '/v1/rbac/roles')).body.data
  const invited = (await invitations()).map(({ email, role_ids: [role] }) => [
    email.split('@')[0],
    roles.find(({ id }) => id === role)?.name,
  ])
  expect(invited.sort(([a], [b]) => String(a).localeCompare(String(b)))).toEqual([
    ['ada', 'admin'],
    ['dev', 'developer'],
    ['viv', 'viewer'],
  ])
  await withClient(platform.databases.identity.ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    const { rowCount } = await owner.query(
      `UPDATE user_invitations SET expires_at = now() - interval '1 second'
       WHERE tenant_id = $1 AND email_key LIKE 'viv@%'`,
      [demo.tenant_id],
    )
    expect(rowCount).toBe(1)
  })
  await ensureDemoPeople(platform.gatewayUrl, demo)
  expect(await invitations()).toHaveLength(4)
})

test.each([
  ['export', []],
  ['erase', ['--yes']],
])('%s of an unknown person is refused', async (verb, more) => {
  const { code, output } = await user(verb, '--user', randomUUID(), ...more)
  expect([code, output]).toEqual([1, 'payctl: User not found (user_not_found)\n'])
})

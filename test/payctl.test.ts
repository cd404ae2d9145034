import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startTestStack, type TestStack } from '@payments/testing/local-stack'
import { callerOf, type Onboarded, onboard } from './tenant.ts'

/** payctl against running services; packages/payctl tests the command line alone. */
let platform: TestStack
let acme: Onboarded

beforeAll(async () => {
  platform = await startTestStack({ without: ['webhooks', 'webhooks-dispatcher', 'payment-proxy', 'audit'] })
  acme = await onboard(platform, 'Acme')
}, 120_000)
afterAll(() => platform?.stop(), 120_000)

const token = (tenant: string, role: string, ...more: string[]) =>
  platform.payctl('token', '--tenant', tenant, '--role', role, ...more)

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
  const reply = await callerOf(platform, bearer, null)('GET', '/v1/rbac/roles')
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

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { deriveLeaseKey, leaseSignatureHeader, signLeaseCall } from '@payments/chassis/assertion/lease-signature'
import { createAppServer, listen, stopServer } from '@payments/chassis/process/serve'
import { authorizationLeasePath, parseLeaseReply } from '@payments/contracts/endpoints/authorization-lease'
import type { AuthorizationVersionReply } from '@payments/contracts/endpoints/authorization-version'
import { permissionNames } from '@payments/contracts/grammar/permission'
import { asStandby } from '@payments/testing/database/database'
import { fewestRoundTrips } from '@payments/testing/database/round-trips'
import { until } from '@payments/testing/services/until'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** The authorization version that rbac grants a gateway. */
async function acquireLease(): Promise<AuthorizationVersionReply | undefined> {
  const server = createAppServer(world.app)
  const port = await listen(server, { host: '127.0.0.1', port: 0 })
  const call = { method: 'POST', path: authorizationLeasePath, audience: 'rbac' }
  const body = Buffer.from('{"lease":{}}')
  const signature = signLeaseCall(call, { issuer: 'gateway', key: deriveLeaseKey(world.edgeKey) }, body)
  const headers = { [leaseSignatureHeader]: signature }
  const reply = await fetch(`http://127.0.0.1:${port}${call.path}`, { method: call.method, headers, body })
  const { lease } = parseLeaseReply(await reply.text()) ?? {}
  await stopServer(server, 0)
  return lease
}

describe('resolveRoles', () => {
  test('returns the permissions of all roles found by id and name, and lists unknown roles', async () => {
    const { tenant, roles } = await world.onboard()
    const viewer = roles.find((role) => role.name === 'viewer')
    const missing = randomUUID()
    const reply = await world.asService.post(`/internal/tenants/${tenant.id}/resolve-roles`, {
      role_ids: [viewer?.id, missing],
      role_names: ['admin', 'janitor'],
    })
    expect(reply.body.permissions).toEqual(permissionNames.toSorted())
    expect(reply.body.unknown).toEqual([missing, 'janitor'])
  })

  test('the role admin grants every permission', async () => {
    const { tenant } = await world.onboard()
    const { body } = await world.asService.post(`/internal/tenants/${tenant.id}/resolve-roles`, {
      role_names: ['admin'],
    })
    expect([body.permissions, body.roles[0].permissions]).toEqual([
      permissionNames.toSorted(),
      permissionNames.toSorted(),
    ])
  })

  test('names the catalogue of its release, as the leases do', async () => {
    const { tenant } = await world.onboard()
    const { body } = await world.asService.post(`/internal/tenants/${tenant.id}/resolve-roles`, {})
    const lease = await acquireLease()
    expect(body.catalogue).toMatch(/^[\w-]{16}$/)
    expect(lease?.catalogue).toBe(body.catalogue)
  })

  test('takes one round trip to the database', async () => {
    const { tenant, roles } = await world.onboard()
    const resolve = (purpose: string) =>
      world.asService.post(`/internal/tenants/${tenant.id}/resolve-roles`, {
        role_ids: roles.map(({ id }) => id),
        role_names: ['viewer'],
        purpose,
      })
    expect(await fewestRoundTrips(() => resolve('authorize'))).toBe(1)
    expect(await fewestRoundTrips(() => resolve('assign'))).toBe(1)
  })

  test('fails on a server in recovery, whose state may be old', async () => {
    const { tenant } = await world.onboard()
    const resolve = () =>
      world.asService.post(`/internal/tenants/${tenant.id}/resolve-roles`, { role_ids: [], role_names: [] })
    const endStandby = await asStandby(world.database)
    expect((await resolve()).status).toBe(500)
    await endStandby()
    // Connections that saw the recovery end one by one.
    await until(async () => (await resolve()).status === 200)
    expect((await resolve()).status).toBe(200)
  })

  test('a role of another tenant is unknown', async () => {
    const [ours, theirs] = [await world.onboard(), await world.onboard()]
    const foreign = theirs.roles.map((role) => role.id)
    const reply = await world.asService.post(`/internal/tenants/${ours.tenant.id}/resolve-roles`, { role_ids: foreign })
    expect(reply.body).toMatchObject({ permissions: [], roles: [], unknown: foreign })
  })

  test('resolve-roles of an unknown tenant is tenant_not_found', async () => {
    const reply = await world.asService.post(`/internal/tenants/${randomUUID()}/resolve-roles`)
    expect([reply.status, reply.body.code]).toEqual([404, 'tenant_not_found'])
  })
})

import { expect, test } from '@jest/globals'
import { leaseMs } from '@payments/chassis/database/authorization-lease'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/rbac/contract'
import { createRoleCache, type RoleSource } from '../src/authorization/role-cache.ts'

/** A replica of rbac: what it knows besides the database. */
interface Replica {
  readonly catalogue: string
  readonly admin: string[]
}

const previous: Replica = { catalogue: 'previous', admin: ['rbac:ReadRole'] }
const current: Replica = { catalogue: 'current', admin: ['invitetopay:RevealCode', 'rbac:ReadRole'] }
const next: Replica = { catalogue: 'next', admin: ['audit:ReadRecord', 'invitetopay:RevealCode', 'rbac:ReadRole'] }

/** A gateway beside two replicas: which one responds to a read of the version, and which one to a load. */
function gatewayBeside(replicas: { version: Replica; load: Replica }) {
  let now = 0
  let loads = 0
  const source: RoleSource = {
    readVersion: async () => {
      const { catalogue } = replicas.version
      return { incarnation: 'one', epoch: 1, invalidated: [], lease_ms: leaseMs, catalogue }
    },
    resolveRoles: async (_, { params }) => {
      loads += 1
      if (params?.tenant_id === 'unknown') throw new Problem(problems.tenant_not_found)
      const { catalogue, admin } = replicas.load
      return { tenant_status: 'active', roles: [], permissions: admin, unknown: [], catalogue }
    },
  }
  const clock = { monotonicMs: () => now, wallMs: () => now, after: () => {} }
  const cache = createRoleCache(source, { clock, grantsMax: 10 })
  const readGrant = async (tenantId: string) => {
    now += leaseMs
    await cache.acquire()
    return cache.get(tenantId, { role_names: ['admin'] }, { traceId: 'x' })
  }
  return {
    replicas,
    readGrant,
    readAdminPermissions: async (tenantId: string) => (await readGrant(tenantId)).permissions,
    loads: () => loads,
  }
}

test.each([
  ['the previous release', previous, current],
  ['this release', current, next],
])('a gateway that started beside %s knows new permissions once rbac is upgraded', async (_, before, after) => {
  const gateway = gatewayBeside({ version: before, load: before })
  expect(await gateway.readAdminPermissions('a')).toEqual(before.admin)
  expect(await gateway.readAdminPermissions('a')).toEqual(before.admin)
  expect(gateway.loads()).toBe(1)
  Object.assign(gateway.replicas, { version: after, load: after })
  expect(await gateway.readAdminPermissions('a')).toEqual(after.admin)
  expect(await gateway.readAdminPermissions('a')).toEqual(after.admin)
  expect(gateway.loads()).toBe(2)
})

test.each([
  ['an earlier', current, previous],
  ['a later', current, next],
])('no cache keeps what a replica of %s release responds than the one of the version', async (_, version, load) => {
  const gateway = gatewayBeside({ version, load })
  expect(await gateway.readAdminPermissions('a')).toEqual(load.admin)
  gateway.replicas.load = version
  expect(await gateway.readAdminPermissions('a')).toEqual(version.admin)
  expect(gateway.loads()).toBe(2)
})

test('a permission that this gateway does not know is left out', async () => {
  const later = { ...current, admin: [...current.admin, 'zebra:Read'] }
  const gateway = gatewayBeside({ version: later, load: later })
  expect(await gateway.readAdminPermissions('a')).toEqual(current.admin)
})

test('an unknown tenant is cached, whichever release responds', async () => {
  const gateway = gatewayBeside({ version: current, load: previous })
  for (let i = 0; i < 2; i += 1) expect((await gateway.readGrant('unknown')).tenantStatus).toBe('unknown')
  expect(gateway.loads()).toBe(1)
})

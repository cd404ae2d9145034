/**
 * The ways to take access from a person. Each creates a user with a browser session, whose cookie and whose JWT may
 * list API keys, and says how to take that from both.
 */
import { createSecretKey, randomUUID } from 'node:crypto'
import { client } from '@payments/chassis/client/client'
import { rbac } from '@payments/contracts/services/rbac/contract'
import type { Platform } from '@payments/testing/platform/local-stack'
import { type Credential, sendUntil, type Timing } from '../load/request.ts'
import { type Administrator, createRole, deleted, type Revocable, roles } from './methods.ts'
import { insertUserWithSession, type People, type UserWithSession } from './people.ts'

const timeoutMs = 20_000

export function createPeople(platform: Platform, tenantId: string): People {
  const operator = client(rbac, {
    self: 'payctl',
    operator: 'operator@example.com',
    baseUrl: `http://127.0.0.1:${platform.ports.rbac}`,
    keys: new Map([['rbac', createSecretKey(platform.edgeKey('payctl', 'rbac'), 'base64')]]),
    timeoutMs,
  })
  const params = { tenant_id: tenantId }
  return {
    join: (roleIds) => insertUserWithSession(platform, { tenantId, roleIds, email: `${randomUUID()}@example.com` }),
    suspend: async () => {
      const sentAt = performance.now()
      await operator.suspendTenant({ traceId: randomUUID() }, { params })
      return { sentAt, respondedAt: performance.now() }
    },
    resume: () => operator.resumeTenant({ traceId: randomUUID() }, { params }),
    host: new URL(platform.gatewayUrl).host,
  }
}

const users = '/v1/identity/users'

export const personMethods = {
  'remove role from user': withPerson((admin, url, { userId }) =>
    admin(url, 'PATCH', `${users}/${userId}`, { role_ids: [] }),
  ),
  'remove user': withPerson((admin, url, { userId }) => admin(url, 'DELETE', `${users}/${userId}`, undefined, deleted)),
  'end session': withPerson((admin, url, { sessionId }) =>
    admin(url, 'DELETE', `/v1/identity/sessions/${sessionId}`, undefined, deleted),
  ),
  'edit role of user': async (admin: Administrator): Promise<Revocable> => {
    const roleId = await createRole(admin, randomUUID())
    const edit = (url: string) => admin(url, 'PUT', `${roles}/${roleId}`, { permissions: [] })
    const revocable = await withPerson((_, url) => edit(url), roleId)(admin)
    const deleteRole = (url: string) => admin(url, 'DELETE', `${roles}/${roleId}`, undefined, deleted)
    return { ...revocable, cleanUp: (url) => Promise.resolve(revocable.cleanUp?.(url)).then(() => deleteRole(url)) }
  },
  'suspend tenant of user': async (admin: Administrator): Promise<Revocable> => {
    const { resume, suspend } = peopleIn(admin)
    const revocable = await withPerson(suspend)(admin)
    return { ...revocable, cleanUp: (url) => resume().then(() => revocable.cleanUp?.(url)) }
  },
} satisfies Record<string, (admin: Administrator) => Promise<Revocable>>

function peopleIn({ tenant }: Administrator): People {
  if (tenant.people === undefined) throw new Error('the tenant has no people')
  return tenant.people
}

/** The session cookie of a new user with one role, and a JWT of the session. */
function withPerson(
  revoke: (admin: Administrator, url: string, person: UserWithSession) => Promise<Timing>,
  roleId?: string,
) {
  return async (admin: Administrator): Promise<Revocable> => {
    const { homeUrl, viewerRole } = admin.tenant
    const { join, host } = peopleIn(admin)
    const person = await join([roleId ?? viewerRole])
    const cookie: Credential = { cookie: person.value, host }
    const { body } = await sendUntil(homeUrl, { method: 'POST', path: '/v1/identity/session/token', ...cookie }, [200])
    const { token } = JSON.parse(body) as { token: string }
    return {
      credentials: [cookie, { bearer: token }],
      revoke: (url) => revoke(admin, url, person),
      cleanUp: (url) => admin(url, 'DELETE', `${users}/${person.userId}`, undefined, deleted),
    }
  }
}

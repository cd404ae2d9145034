/** The ways to revoke a credential: each creates a credential that may list API keys, and says how to revoke it. */
import { randomUUID } from 'node:crypto'
import { type Credential, type Response, sendUntil, type Timing } from '../load/request.ts'
import type { People } from './people.ts'

export interface RevocationTenant {
  readonly id: string
  /** The API key of its administrator. */
  readonly bearer: string
  /** The gateway on which the administrator prepares credentials. */
  readonly homeUrl: string
  readonly viewerRole: string
  /** A JWT with the role `tokenRole`, for the method `edit role of token`. */
  readonly token?: string
  readonly tokenRole?: string
  /** For the methods that take access from people. */
  readonly people?: People
}

/** Sends a request of the tenant's administrator, repeated until it succeeds. */
export type Administrator = ((
  url: string,
  method: string,
  path: string,
  body?: object,
  statuses?: readonly number[],
) => Promise<Response>) & { readonly tenant: RevocationTenant }

export interface Revocable {
  /** Each of them is revoked. */
  readonly credentials: readonly Credential[]
  readonly revoke: (url: string) => Promise<Timing>
  /** Removes what would disturb the next revocation. */
  readonly cleanUp?: (url: string) => Promise<unknown>
}

const keys = '/v1/api-key/keys'
export const roles = '/v1/rbac/roles'

/** The request by which every credential is used. */
export const usedPath = `${keys}?limit=1`

/** A DELETE that is repeated after a lost response finds its work done. */
export const deleted = [204, 404]

export const revocationMethods = {
  delete: withKey((admin, url, id) => admin(url, 'DELETE', `${keys}/${id}`, undefined, deleted)),
  disable: withKey((admin, url, id) => admin(url, 'PATCH', `${keys}/${id}`, { enabled: false })),
  expire: withKey((admin, url, id) => admin(url, 'PATCH', `${keys}/${id}`, { expires_at: '2020-01-01T00:00:00.000Z' })),
  rotate: withKey((admin, url, id) => admin(url, 'POST', `${keys}/${id}/rotate`, { grace_period_seconds: 0 })),
  'replace roles': withKey((admin, url, id) => admin(url, 'PUT', `${keys}/${id}/roles`, { role_ids: [] })),
  'edit role': async (admin: Administrator): Promise<Revocable> => {
    const roleId = await createRole(admin, randomUUID())
    const { credential } = await createKey(admin, roleId)
    return { credentials: [credential], revoke: (url) => admin(url, 'PUT', `${roles}/${roleId}`, { permissions: [] }) }
  },
  'edit role of token': async (admin: Administrator): Promise<Revocable> => {
    const { token, tokenRole } = admin.tenant
    if (token === undefined || tokenRole === undefined) throw new Error('the tenant has no token')
    const roleId = await createRole(admin, tokenRole)
    return {
      credentials: [{ bearer: token }],
      revoke: (url) => admin(url, 'PUT', `${roles}/${roleId}`, { permissions: [] }),
      cleanUp: (url) => admin(url, 'DELETE', `${roles}/${roleId}`, undefined, deleted),
    }
  },
} satisfies Record<string, (admin: Administrator) => Promise<Revocable>>

export type RevocationMethod = keyof typeof revocationMethods

export function createAdministrator(tenant: RevocationTenant): Administrator {
  const request = (url: string, method: string, path: string, body?: object, statuses: readonly number[] = [200]) =>
    sendUntil(url, { method, path, body, bearer: tenant.bearer, tenantId: tenant.id }, statuses)
  return Object.assign(request, { tenant })
}

function withKey(revokeKey: (admin: Administrator, url: string, id: string) => Promise<Response>) {
  return async (admin: Administrator): Promise<Revocable> => {
    const { id, credential } = await createKey(admin, admin.tenant.viewerRole)
    return { credentials: [credential], revoke: (url) => revokeKey(admin, url, id) }
  }
}

async function createKey(admin: Administrator, roleId: string): Promise<{ id: string; credential: Credential }> {
  const { id: tenantId, homeUrl } = admin.tenant
  const { body } = await admin(homeUrl, 'POST', keys, { name: 'in use' }, [201])
  const { id, value } = JSON.parse(body) as { id: string; value: string }
  await admin(homeUrl, 'PUT', `${keys}/${id}/roles`, { role_ids: [roleId] })
  return { id, credential: { bearer: value, tenantId } }
}

export async function createRole(admin: Administrator, name: string): Promise<string> {
  const role = { name, permissions: ['apikey:ReadKey'] }
  const { body } = await admin(admin.tenant.homeUrl, 'POST', roles, role, [201])
  return (JSON.parse(body) as { id: string }).id
}

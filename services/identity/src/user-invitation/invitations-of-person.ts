import type { Self } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { acceptableInvitations } from '../sign-in/tenant-facts.ts'

interface Person {
  readonly email: string | null
  /** The sign-in provider of the session. */
  readonly providerId: string
  readonly traceId: string
}

/** The open invitations that a person may accept, with the names of active tenants, the newest first. */
export async function invitationsOfPerson(
  deps: Pick<Deps, 'db' | 'rbac' | 'providers'>,
  { email, providerId, traceId }: Person,
): Promise<Self['invitations']> {
  const provider = deps.providers.find(providerId)
  if (provider === undefined) return []
  const open = await deps.db.acrossTenants((tx) => acceptableInvitations(tx, { provider, email }))
  if (open.length === 0) return []
  const call = { body: { tenant_ids: open.map((one) => one.tenantId) } }
  const { tenants } = await deps.rbac.readTenantNames({ traceId }, call)
  const active = new Map(tenants.filter(({ status }) => status === 'active').map(({ id, name }) => [id, name]))
  return open.flatMap(({ id, tenantId, expiresAt }) => {
    const name = active.get(tenantId)
    return name === undefined
      ? []
      : [{ id, tenant_id: tenantId, tenant_name: name, expires_at: expiresAt.toISOString() }]
  })
}

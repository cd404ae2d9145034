import type { Self } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { listMembershipsOfPerson } from '../store/memberships.ts'
import { acceptableInvitations, readActiveNames, tenantsMax } from './tenant-facts.ts'

interface Person {
  readonly userId: string
  readonly email: string | null
  /** The sign-in provider of the session. */
  readonly providerId: string
  readonly traceId: string
}

/**
 * The tenants that a person in a session may switch to, oldest membership first, and the open invitations that they may
 * accept, newest first. Of active tenants alone. Throws the problems of rbac.
 */
export async function listChoices(
  { db, rbac, providers }: Pick<Deps, 'db' | 'rbac' | 'providers'>,
  { userId, email, providerId, traceId }: Person,
): Promise<Pick<Self, 'memberships' | 'invitations'>> {
  const provider = providers.find(providerId)
  const { memberships, invitations } = await db.acrossTenants(async (tx) => ({
    invitations: provider === undefined ? [] : await acceptableInvitations(tx, { provider, email }),
    memberships: (await listMembershipsOfPerson(tx, userId)).filter(({ enabled }) => enabled).slice(0, tenantsMax),
  }))
  const [ownNames, invitingNames] = await Promise.all(
    [memberships, invitations].map((rows) => readActiveNames({ rbac }, rows, traceId)),
  )
  return {
    memberships: memberships.flatMap(({ tenantId }) => {
      const name = ownNames?.get(tenantId)
      return name === undefined ? [] : [{ tenant_id: tenantId, tenant_name: name }]
    }),
    invitations: invitations.flatMap(({ id, tenantId, expiresAt }) => {
      const name = invitingNames?.get(tenantId)
      const expires_at = expiresAt.toISOString()
      return name === undefined ? [] : [{ id, tenant_id: tenantId, tenant_name: name, expires_at }]
    }),
  }
}

import type { Caller, CallerWithPermissions } from '@payments/chassis/base/caller'
import { EndedCredential } from '@payments/chassis/base/ended-credential'
import type { Self } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { listChoices } from '../sign-in/choices.ts'
import { findMember } from '../store/memberships.ts'
import { findSession } from '../store/sessions.ts'

/** Throws tenant_not_found; invalid_credentials when the session ended after its authentication. */
export async function readSelf(deps: Deps, caller: CallerWithPermissions): Promise<Self> {
  const { tenantId, traceId, actor, permissions } = caller
  const [{ roles, ...tenant }, person] = await Promise.all([
    deps.rbac.readTenant({ traceId }, { params: { tenant_id: tenantId } }),
    caller.sessionId === null ? readNonPerson(deps, caller) : readPerson(deps, caller, caller.sessionId),
  ])
  const { name, session, memberships, invitations } = person
  return {
    actor: { type: actor.type, id: actor.id, name },
    tenant: { id: tenant.id, name: tenant.name, status: tenant.status, created_at: tenant.created_at },
    environment: deps.environment,
    roles: roles
      .filter(({ id }) => caller.roleIds?.includes(id) === true)
      .map(({ id, name: roleName }) => ({ id, name: roleName }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    permissions: [...permissions].sort(),
    session,
    memberships,
    invitations,
  }
}

type Person = Pick<Self, 'session' | 'memberships' | 'invitations'> & { readonly name: string | null }

const noSession = { session: null, memberships: [], invitations: [] }

/** An API key, or the JWT of another issuer, whose people this service does not know. */
async function readNonPerson({ apiKey }: Deps, { tenantId, traceId, actor }: Caller): Promise<Person> {
  if (actor.type !== 'api_key') return { name: null, ...noSession }
  const call = { params: { tenant_id: tenantId, api_key_id: actor.id } }
  const { name } = await apiKey.readKeyRoles({ traceId }, call)
  return { name, ...noSession }
}

async function readPerson(deps: Deps, { tenantId, traceId, actor }: Caller, sessionId: string): Promise<Person> {
  const { session, member } = await deps.db.readInTenant(tenantId, async (tx) => ({
    session: await findSession(tx, tenantId, sessionId),
    member: await findMember(tx, tenantId, actor.id),
  }))
  if (session === null || member === null) throw new EndedCredential()
  const { name, email } = member.user
  return {
    name,
    session: {
      id: session.id,
      authenticated_at: session.authenticatedAt.toISOString(),
      expires_at: session.expiresAt.toISOString(),
    },
    ...(await listChoices(deps, { userId: actor.id, email, providerId: session.providerId, traceId })),
  }
}

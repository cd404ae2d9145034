import { databaseNow } from '@payments/chassis/database/database-now'
import { Problem } from '@payments/contracts/grammar/problem'
import type { Deps } from '../deps.ts'
import { acceptsInvitation, inOrderOfChoice, mayEnter, mayUseMembership } from '../domain/admission.ts'
import { emailKeyOf } from '../domain/email.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import type { Tx } from '../store/database.ts'
import { listMembershipsOfPerson } from '../store/memberships.ts'
import { findInvitationById, listInvitingTenants } from '../store/user-invitations.ts'
import { findUserBySubject } from '../store/users.ts'
import type { Arrival } from './arrival.ts'

/** The facts of rbac about the tenants that a sign-in may lead to. */
export interface TenantFacts {
  /** Whether a tenant exists and is not suspended. A tenant that is not in the map was not read. */
  readonly active: ReadonlyMap<string, boolean>
  /** With membership `claims`: the roles that the claimed names mean. */
  readonly claimedRoleIds: readonly string[]
}

/** A person with more tenants chooses among those they signed in to last. */
const tenantsMax = 10

interface Entrant extends Pick<Arrival, 'person' | 'provider' | 'invitationId' | 'traceId'> {
  /** Of a step-up: the tenant of the session, and no other. */
  readonly tenantId: string | null
}

/**
 * Reads the tenants from rbac, outside of a transaction, that a sign-in may lead to. The transaction of the sign-in
 * decides among them. Throws SignInFailed.
 */
export async function tenantFactsOf(deps: Pick<Deps, 'db' | 'rbac'>, entrant: Entrant): Promise<TenantFacts> {
  const { provider, traceId } = entrant
  if (provider.membership === 'claims') return claimedFacts(deps, entrant)
  const tenantIds = await deps.db.acrossTenants((tx) => candidates(tx, entrant))
  const allowed = [...new Set(tenantIds)].filter((tenantId) => mayEnter(provider, tenantId)).slice(0, tenantsMax)
  const statuses = await Promise.all(allowed.map((tenantId) => isActive(deps, tenantId, traceId)))
  return { active: new Map(allowed.map((tenantId, index) => [tenantId, statuses[index] === true])), claimedRoleIds: [] }
}

/**
 * The tenants of memberships that the sign-in may choose, in the order of choice, then those of invitations.
 * Invitations are read first: one that a concurrent sign-in accepts meanwhile is a membership in the second read.
 */
async function candidates(tx: Tx, { person, provider, invitationId, tenantId }: Entrant): Promise<string[]> {
  if (tenantId !== null) return [tenantId]
  const invitation = invitationId === null ? null : await findInvitationById(tx, invitationId)
  if (invitation !== null) return [invitation.tenantId]
  const email = person.verifiedEmail
  const inviting = email === null ? [] : await listInvitingTenants(tx, emailKeyOf(email), await databaseNow(tx))
  const user = await findUserBySubject(tx, person.issuer, person.subject)
  const memberships = user === null ? [] : await listMembershipsOfPerson(tx, user.id)
  const usable = memberships.filter((one) => one.enabled && mayUseMembership(provider, one))
  const accepted = inviting.filter((one) => acceptsInvitation(provider, one))
  return [...inOrderOfChoice(usable), ...accepted].map((one) => one.tenantId)
}

async function claimedFacts(
  { rbac }: Pick<Deps, 'rbac'>,
  { person, provider, traceId }: Entrant,
): Promise<TenantFacts> {
  const { claimed } = person
  if (claimed === null || claimed.roleNames.length === 0) throw new SignInFailed('not_claimed')
  if (!mayEnter(provider, claimed.tenantId)) throw new SignInFailed('provider_not_for_tenant')
  const found = await orNull(() =>
    rbac.resolveRoles(
      { traceId },
      {
        params: { tenant_id: claimed.tenantId },
        body: { role_names: [...claimed.roleNames], purpose: 'assign' },
      },
    ),
  )
  if (found === null || found.roles.length === 0) throw new SignInFailed('not_claimed')
  return {
    active: new Map([[claimed.tenantId, found.tenant_status === 'active']]),
    claimedRoleIds: found.roles.map(({ id }) => id),
  }
}

export async function isActive({ rbac }: Pick<Deps, 'rbac'>, tenantId: string, traceId: string): Promise<boolean> {
  const tenant = await orNull(() => rbac.readTenant({ traceId }, { params: { tenant_id: tenantId } }))
  return tenant?.status === 'active'
}

/** Throws SignInFailed. A tenant that a person joined after the facts were read is known to the next attempt. */
export function requireActive({ active }: Pick<TenantFacts, 'active'>, tenantId: string): void {
  const isKnownActive = active.get(tenantId)
  if (isKnownActive !== true) throw new SignInFailed(isKnownActive === undefined ? 'unavailable' : 'tenant_suspended')
}

/** Null for an unknown tenant. Throws SignInFailed when rbac does not respond. */
async function orNull<R>(call: () => Promise<R>): Promise<R | null> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code === 'tenant_not_found') return null
    throw new SignInFailed('unavailable', { cause: error })
  }
}

/** For a page. Null when rbac does not respond: the name only helps the person. */
export async function tenantNameOf(
  { rbac }: Pick<Deps, 'rbac'>,
  tenantId: string,
  traceId: string,
): Promise<string | null> {
  try {
    return (await rbac.readTenant({ traceId }, { params: { tenant_id: tenantId } })).name
  } catch (error) {
    if (error instanceof Problem) return null
    throw error
  }
}

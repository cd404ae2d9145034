import { databaseNow } from '@payments/chassis/database/database-now'
import { Problem } from '@payments/contracts/grammar/problem'
import type { Deps } from '../deps.ts'
import { acceptsInvitation, inOrderOfChoice, mayEnter, mayUseMembership } from '../domain/admission.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import { shownInvitationsMax } from '../domain/user-invitation.ts'
import type { Tx } from '../store/database.ts'
import { listMembershipsOfPerson, type MembershipRow } from '../store/memberships.ts'
import { findInvitationById, type InvitationRow, listOpenInvitations } from '../store/user-invitations.ts'
import { findUserBySubject } from '../store/users.ts'
import type { Arrival } from './arrival.ts'
import type { SignInProvider } from './providers.ts'

/** The facts of rbac about the tenants that a sign-in may lead to. */
export interface TenantFacts {
  /** Whether a tenant exists and is not suspended. A tenant that is not in the map was not read. */
  readonly active: ReadonlyMap<string, boolean>
  /** With membership `claims`: the roles that the claimed names mean. */
  readonly claimedRoleIds: readonly string[]
}

/** The limit of one call of rbac. A person with more tenants chooses among those they signed in to last. */
export const tenantsMax = 100

type Entrant = Pick<Arrival, 'person' | 'provider' | 'invitationId' | 'tenantId' | 'traceId'>

/**
 * Reads the tenants from rbac, outside of a transaction, that a sign-in may lead to. The transaction of the sign-in
 * decides among them. Throws SignInFailed.
 */
export async function readTenantFacts(deps: Pick<Deps, 'db' | 'rbac'>, entrant: Entrant): Promise<TenantFacts> {
  const { provider, tenantId, traceId } = entrant
  if (provider.membership === 'claims') return claimedFacts(deps, entrant)
  const tenantIds = await deps.db.acrossTenants((tx) => candidates(tx, entrant))
  const requested = tenantId === null ? [] : [tenantId]
  const allowed = [...new Set([...requested, ...tenantIds])].filter((id) => mayEnter(provider, id)).slice(0, tenantsMax)
  return { active: await readActive(deps, allowed, traceId), claimedRoleIds: [] }
}

/**
 * The tenants of memberships that the sign-in may choose, in the order of choice, then of invitations.
 * Invitations are read first: one that a concurrent sign-in accepts meanwhile is a membership in the second read.
 */
async function candidates(tx: Tx, { person, provider, invitationId }: Entrant): Promise<string[]> {
  const invitation = invitationId === null ? null : await findInvitationById(tx, invitationId)
  if (invitation !== null) return [invitation.tenantId]
  const inviting = await acceptableInvitations(tx, { provider, email: person.verifiedEmail })
  const user = await findUserBySubject(tx, person.issuer, person.subject)
  const memberships = user === null ? [] : await listMembershipsOfPerson(tx, user.id)
  return [...usableMemberships(provider, memberships), ...inviting].map((one) => one.tenantId)
}

/** The tenants that a sign-in at the provider may lead to, in the order of choice. */
export const usableMemberships = <M extends MembershipRow>(provider: SignInProvider, memberships: readonly M[]): M[] =>
  inOrderOfChoice(memberships.filter((one) => one.enabled && mayUseMembership(provider, one)))

/** The open invitations that a person with this verified email address may accept at the provider. */
export async function acceptableInvitations(
  tx: Tx,
  { provider, email }: { readonly provider: SignInProvider; readonly email: string | null },
): Promise<InvitationRow[]> {
  const open = email === null ? [] : await listOpenInvitations(tx, email, await databaseNow(tx))
  return open.filter((one) => acceptsInvitation(provider, one)).slice(0, shownInvitationsMax)
}

/** The names of active tenants. Throws the problems of rbac. */
export async function readActiveNames(
  { rbac }: Pick<Deps, 'rbac'>,
  rows: readonly { readonly tenantId: string }[],
  traceId: string,
): Promise<ReadonlyMap<string, string>> {
  if (rows.length === 0) return new Map()
  const { tenants } = await rbac.readTenantNames({ traceId }, { body: { tenant_ids: rows.map((one) => one.tenantId) } })
  return new Map(tenants.filter(({ status }) => status === 'active').map(({ id, name }) => [id, name]))
}

/** Throws SignInFailed when rbac does not respond. */
async function readActive(deps: Pick<Deps, 'rbac'>, tenantIds: readonly string[], traceId: string) {
  const rows = tenantIds.map((tenantId) => ({ tenantId }))
  const names = await callRbac(() => readActiveNames(deps, rows, traceId))
  return new Map(tenantIds.map((id) => [id, names?.has(id) === true]))
}

async function claimedFacts(
  deps: Pick<Deps, 'rbac'>,
  { person, provider, tenantId, traceId }: Entrant,
): Promise<TenantFacts> {
  const { claimed } = person
  if (claimed === null || claimed.roleNames.length === 0) throw new SignInFailed('not_claimed')
  if (!mayEnter(provider, claimed.tenantId)) throw new SignInFailed('provider_not_for_tenant')
  const found = await callRbac(() =>
    deps.rbac.resolveRoles(
      { traceId },
      {
        params: { tenant_id: claimed.tenantId },
        body: { role_names: [...claimed.roleNames], purpose: 'assign' },
      },
    ),
  )
  if (found === null || found.roles.length === 0) throw new SignInFailed('not_claimed')
  const requested =
    tenantId === null || tenantId === claimed.tenantId || !mayEnter(provider, tenantId) ? [] : [tenantId]
  const active = await readActive(deps, requested, traceId)
  return {
    active: new Map([...active, [claimed.tenantId, found.tenant_status === 'active']]),
    claimedRoleIds: found.roles.map(({ id }) => id),
  }
}

export async function isActive({ rbac }: Pick<Deps, 'rbac'>, tenantId: string, traceId: string): Promise<boolean> {
  const tenant = await callRbac(() => rbac.readTenant({ traceId }, { params: { tenant_id: tenantId } }))
  return tenant?.status === 'active'
}

/** Throws SignInFailed. A tenant that a person joined after the facts were read is known to the next attempt. */
export function requireActive({ active }: Pick<TenantFacts, 'active'>, tenantId: string): void {
  const isKnownActive = active.get(tenantId)
  if (isKnownActive !== true) throw new SignInFailed(isKnownActive === undefined ? 'unavailable' : 'tenant_suspended')
}

/** Null for an unknown tenant. Throws SignInFailed when rbac does not respond. */
export async function callRbac<R>(call: () => Promise<R>): Promise<R | null> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code === 'tenant_not_found') return null
    throw new SignInFailed('unavailable', error.message, { cause: error })
  }
}

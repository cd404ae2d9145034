import { newId } from '@payments/chassis/base/id'
import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import { databaseNow } from '@payments/chassis/database/database-now'
import type { Deps } from '../deps.ts'
import { acceptsInvitation, fitsDomains, isInvited, mayUseMembership } from '../domain/admission.ts'
import { SignInFailed, type SignInFailure } from '../domain/sign-in-failure.ts'
import { statusAt } from '../domain/user-invitation.ts'
import { followClaims } from '../membership/follow-claims.ts'
import { acceptInvitation } from '../membership/join-tenant.ts'
import { createSession } from '../session/create-session.ts'
import { endSessions } from '../session/end-sessions.ts'
import type { Tx } from '../store/database.ts'
import { findMember, listMembershipsOfPerson, type MembershipRow } from '../store/memberships.ts'
import { lockSession, type SessionRow } from '../store/sessions.ts'
import { lockInvitationById } from '../store/user-invitations.ts'
import { findUserBySubject, insertUser, lockUser, type UserRow, updateProfile } from '../store/users.ts'
import type { Arrival } from './arrival.ts'
import type { SignedInPerson } from './providers.ts'
import { acceptableInvitations, requireActive, type TenantFacts, usableMemberships } from './tenant-facts.ts'

type SessionDeps = Pick<Deps, 'sessionValues' | 'sessionLimits'>
type NewSession = Awaited<ReturnType<typeof createSession>>

/**
 * Signs the person in, in a transaction across tenants: finds or creates the user, joins tenants, and replaces the
 * session of the browser, if it is known. Null: the person must choose first. Throws SignInFailed, which rolls
 * everything back. Locks the subject, the user, invitations, then the users of tenants.
 */
export async function signIn(
  tx: Tx,
  deps: SessionDeps,
  arrival: Arrival,
  facts: TenantFacts,
): Promise<NewSession | null> {
  const { person, provider, invitationId, traceId } = arrival
  requireDomain(arrival)
  await lockForTransaction(tx, `identity.subject:${person.issuer} ${person.subject}`)
  const user = await knownUser(tx, person)
  const entry =
    provider.membership === 'claims'
      ? await enterByClaims(tx, arrival, user, facts)
      : invitationId === null
        ? await enterTenant(tx, arrival, user, facts)
        : await enterByInvitation(tx, { ...arrival, invitationId }, user, facts)
  if (entry === null) return null
  const replaced = await lockReplaced(tx, arrival)
  if (replaced !== null) await endSessions(tx, [replaced], null, traceId)
  return createSession(tx, deps, { ...sessionFields(arrival), ...entry, traceId })
}

/**
 * Replaces the session by one with a fresh sign-in of the same person, which ends no later: only a sign-in gives a new
 * lifetime. It is one of the tenant of the page that requested, also after another tab switched the tenant. The
 * person enters by the rules of a sign-in. In a transaction across tenants. Throws SignInFailed.
 */
export async function stepUp(tx: Tx, deps: SessionDeps, arrival: Arrival, facts: TenantFacts): Promise<NewSession> {
  const { person, provider, traceId } = arrival
  requireDomain(arrival)
  const user = await knownUser(tx, person)
  const session = await lockReplaced(tx, arrival)
  const isLive = session !== null && session.expiresAt > (await databaseNow(tx))
  if (!isLive || session.userId !== user?.id) throw new SignInFailed('session_ended')
  const { userId, expiresAt: endsBy } = session
  const tenantId = arrival.tenantId ?? session.tenantId
  if (provider.membership === 'claims') {
    if (person.claimed?.tenantId !== tenantId) throw new SignInFailed('not_claimed')
    await enterByClaims(tx, arrival, user, facts)
  } else {
    const member = await findMember(tx, tenantId, userId)
    if (member === null || !mayUseMembership(provider, member)) throw new SignInFailed('provider_not_for_tenant')
    requireActive(facts, tenantId)
  }
  await endSessions(tx, [session], null, traceId)
  return createSession(tx, deps, { ...sessionFields(arrival), userId, tenantId, endsBy, traceId })
}

function requireDomain({ provider, person: { verifiedEmail } }: Arrival): void {
  if (fitsDomains(provider, verifiedEmail)) return
  throw new SignInFailed(verifiedEmail === null ? 'unverified_email' : 'email_domain')
}

async function knownUser(tx: Tx, person: SignedInPerson): Promise<UserRow | null> {
  const found = await findUserBySubject(tx, person.issuer, person.subject)
  if (found === null || (await lockUser(tx, found.id)) === null) return null
  // An erasure for which the lock waited has deleted the subject: the person is new.
  if ((await findUserBySubject(tx, person.issuer, person.subject)) === null) return null
  return updateProfile(tx, found.id, { email: person.verifiedEmail, name: person.name })
}

async function newUser(tx: Tx, { issuer, subject, verifiedEmail: email, name }: SignedInPerson): Promise<UserRow> {
  return insertUser(tx, { id: newId(), issuer, subject, email, name })
}

interface Entry {
  readonly userId: string
  readonly tenantId: string
}

async function enterByClaims(tx: Tx, arrival: Arrival, known: UserRow | null, facts: TenantFacts): Promise<Entry> {
  const { person, provider, traceId } = arrival
  if (person.claimed === null) throw new SignInFailed('not_claimed')
  const { tenantId } = person.claimed
  requireActive(facts, tenantId)
  const { id: userId } = known ?? (await newUser(tx, person))
  const roleIds = facts.claimedRoleIds
  const member = await followClaims(tx, { tenantId, userId, providerId: provider.id, roleIds, traceId })
  const requested = arrival.tenantId === null ? null : await findMember(tx, arrival.tenantId, userId)
  if (
    requested?.enabled === true &&
    mayUseMembership(provider, requested) &&
    facts.active.get(requested.tenantId) === true
  ) {
    return { userId, tenantId: requested.tenantId }
  }
  if (!member.enabled) throw new SignInFailed('disabled')
  return { userId, tenantId }
}

/** An invitation counts only with its email address, which the provider verified. */
async function enterByInvitation(
  tx: Tx,
  arrival: Arrival & { readonly invitationId: string },
  known: UserRow | null,
  facts: TenantFacts,
): Promise<Entry> {
  const { person, provider, invitationId, traceId } = arrival
  if (person.verifiedEmail === null) throw new SignInFailed('unverified_email')
  const invitation = await lockInvitationById(tx, invitationId)
  if (invitation === null || statusAt(invitation, await databaseNow(tx)) !== 'open') {
    throw new SignInFailed('invitation_closed')
  }
  if (!isInvited(invitation, person.verifiedEmail)) throw new SignInFailed('other_email')
  if (!acceptsInvitation(provider, invitation)) throw new SignInFailed('provider_not_for_tenant')
  const { tenantId } = invitation
  requireActive(facts, tenantId)
  const { id: userId } = known ?? (await newUser(tx, person))
  const member = await acceptInvitation(tx, invitation, userId, traceId)
  if (!member.enabled) throw new SignInFailed('disabled')
  return { userId, tenantId }
}

/**
 * The person enters the tenant that the page requested, or the only one of theirs. Otherwise they choose: among several
 * tenants, in place of one that they lost, or whether to accept an invitation. No tenant joins a person by itself.
 */
async function enterTenant(
  tx: Tx,
  { person, provider, tenantId: requestedId }: Arrival,
  known: UserRow | null,
  facts: TenantFacts,
): Promise<Entry | null> {
  const memberships = known === null ? [] : await listMembershipsOfPerson(tx, known.id)
  const usable = usableMemberships(provider, memberships)
  const active = usable.filter(({ tenantId }) => facts.active.get(tenantId) === true)
  const only = requestedId === null && active.length === 1 ? active[0] : undefined
  const chosen = active.find(({ tenantId }) => tenantId === requestedId) ?? only
  if (known !== null && chosen !== undefined) return { userId: known.id, tenantId: chosen.tenantId }
  const invitations = await acceptableInvitations(tx, { provider, email: person.verifiedEmail })
  if (active.length > 0 || invitations.some(({ tenantId }) => facts.active.get(tenantId) === true)) return null
  // A tenant that the person joined after the facts were read is known to the next attempt.
  if (usable.some(({ tenantId }) => !facts.active.has(tenantId))) throw new SignInFailed('unavailable')
  if (usable.length + invitations.length > 0) throw new SignInFailed('tenant_suspended')
  throw new SignInFailed(explainNoTenant(person, memberships))
}

function explainNoTenant({ verifiedEmail }: SignedInPerson, memberships: readonly MembershipRow[]): SignInFailure {
  if (memberships.some((one) => one.enabled)) return 'provider_not_for_tenant'
  if (memberships.length > 0) return 'disabled'
  return verifiedEmail === null ? 'unverified_email' : 'not_invited'
}

async function lockReplaced(tx: Tx, { replacedSessionId }: Arrival): Promise<SessionRow | null> {
  return replacedSessionId === null ? null : lockSession(tx, replacedSessionId)
}

function sessionFields({ person, provider, browser }: Arrival) {
  const { issuer, subject, providerSessionId, authenticatedAt } = person
  const signedIn = { providerId: provider.id, issuer, subject, providerSessionId, authenticatedAt }
  return { kind: 'browser' as const, signedIn, browser }
}

import { newId } from '@payments/chassis/base/id'
import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import { databaseNow } from '@payments/chassis/database/database-now'
import type { Deps } from '../deps.ts'
import { acceptsInvitation, fitsDomains, inOrderOfChoice, mayEnter, mayUseMembership } from '../domain/admission.ts'
import { emailKeyOf } from '../domain/email.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import { statusAt } from '../domain/user-invitation.ts'
import { followClaims } from '../membership/follow-claims.ts'
import { acceptInvitation } from '../membership/join-tenant.ts'
import { createSession } from '../session/create-session.ts'
import { endSessions } from '../session/end-sessions.ts'
import type { Tx } from '../store/database.ts'
import { findMember, listMembershipsOfPerson, type MembershipRow } from '../store/memberships.ts'
import { lockSession, type SessionRow } from '../store/sessions.ts'
import { type InvitationRow, lockInvitationById, lockOpenInvitations } from '../store/user-invitations.ts'
import { findUserBySubject, insertUser, lockUser, type UserRow, updateProfile } from '../store/users.ts'
import type { Arrival } from './arrival.ts'
import type { SignedInPerson } from './providers.ts'
import { requireActive, type TenantFacts } from './tenant-facts.ts'

type SessionDeps = Pick<Deps, 'sessionValues' | 'sessionLimits'>
type NewSession = Awaited<ReturnType<typeof createSession>>

/**
 * Signs the person in, in a transaction across tenants: finds or creates the user, joins tenants, and replaces the
 * session of the browser, if it is known. Throws SignInFailed, which rolls everything back. Locks the subject, the
 * user, invitations, then the users of tenants.
 */
export async function signIn(tx: Tx, deps: SessionDeps, arrival: Arrival, facts: TenantFacts): Promise<NewSession> {
  const { person, provider, invitationId, traceId } = arrival
  requireDomain(arrival)
  await lockForTransaction(tx, `identity.subject:${person.issuer} ${person.subject}`)
  const user = await knownUser(tx, person)
  const { userId, tenantId } =
    provider.membership === 'claims'
      ? await enterByClaims(tx, arrival, user, facts)
      : invitationId === null
        ? await enterWithoutLink(tx, arrival, user, facts)
        : await enterByLink(tx, { ...arrival, invitationId }, user, facts)
  const replaced = await lockReplaced(tx, arrival)
  if (replaced !== null) await endSessions(tx, [replaced], null, traceId)
  return createSession(tx, deps, { ...sessionOf(arrival), userId, tenantId, traceId })
}

/**
 * Replaces the session by one with a fresh sign-in of the same person, which ends no later: only a sign-in gives a new
 * lifetime. Admits the person as a sign-in does. In a transaction across tenants. Throws SignInFailed.
 */
export async function stepUp(tx: Tx, deps: SessionDeps, arrival: Arrival, facts: TenantFacts): Promise<NewSession> {
  const { person, provider, traceId } = arrival
  requireDomain(arrival)
  const user = await knownUser(tx, person)
  const session = await lockReplaced(tx, arrival)
  const isLive = session !== null && session.expiresAt > (await databaseNow(tx))
  if (!isLive || session.userId !== user?.id) throw new SignInFailed('session_ended')
  const { userId, tenantId, expiresAt: endsBy } = session
  if (provider.membership === 'claims') {
    if (person.claimed?.tenantId !== tenantId) throw new SignInFailed('not_claimed')
    await enterByClaims(tx, arrival, user, facts)
  } else {
    const member = await findMember(tx, tenantId, userId)
    if (member === null || !mayUseMembership(provider, member)) throw new SignInFailed('provider_not_for_tenant')
    requireActive(facts, tenantId)
  }
  await endSessions(tx, [session], null, traceId)
  return createSession(tx, deps, { ...sessionOf(arrival), userId, tenantId, endsBy, traceId })
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
  if (!member.enabled) throw new SignInFailed('disabled')
  return { userId, tenantId }
}

/** The link of an invitation counts only with its email address, which the provider verified. */
async function enterByLink(
  tx: Tx,
  arrival: Arrival & { readonly invitationId: string },
  known: UserRow | null,
  facts: TenantFacts,
): Promise<Entry> {
  const { person, provider, invitationId } = arrival
  if (person.verifiedEmail === null) throw new SignInFailed('unverified_email')
  const invitation = await lockInvitationById(tx, invitationId)
  if (invitation === null || statusAt(invitation, await databaseNow(tx)) !== 'open') {
    throw new SignInFailed('invitation_closed')
  }
  if (invitation.emailKey !== emailKeyOf(person.verifiedEmail)) throw new SignInFailed('other_email')
  if (!mayEnter(provider, invitation.tenantId)) throw new SignInFailed('provider_not_for_tenant')
  return enterInvited(tx, arrival, { invitation, known }, facts)
}

/**
 * A user enters a tenant of theirs. A person who is a user of no tenant accepts the one open invitation for their
 * verified email address. Of several, the link says which one: no tenant can join a person with another's invitation.
 */
async function enterWithoutLink(tx: Tx, arrival: Arrival, known: UserRow | null, facts: TenantFacts): Promise<Entry> {
  const { person, provider } = arrival
  const memberships = known === null ? [] : await listMembershipsOfPerson(tx, known.id)
  if (known !== null && memberships.length > 0) {
    return { userId: known.id, tenantId: tenantOfChoice(arrival, memberships, facts) }
  }
  if (person.verifiedEmail === null) throw new SignInFailed('unverified_email')
  const open = await lockOpenInvitations(tx, emailKeyOf(person.verifiedEmail), await databaseNow(tx))
  const [invitation, ...more] = open.filter((one) => acceptsInvitation(provider, one))
  if (invitation === undefined) throw new SignInFailed('not_invited')
  if (more.length > 0) throw new SignInFailed('several_invitations')
  return enterInvited(tx, arrival, { invitation, known }, facts)
}

async function enterInvited(
  tx: Tx,
  { person, traceId }: Arrival,
  { invitation, known }: { readonly invitation: InvitationRow; readonly known: UserRow | null },
  facts: TenantFacts,
): Promise<Entry> {
  const { tenantId } = invitation
  requireActive(facts, tenantId)
  const user = known ?? (await newUser(tx, person))
  const member = await acceptInvitation(tx, invitation, user, traceId)
  if (!member.enabled) throw new SignInFailed('disabled')
  return { userId: user.id, tenantId }
}

function tenantOfChoice(
  { provider }: Arrival,
  memberships: readonly MembershipRow[],
  facts: Pick<TenantFacts, 'active'>,
): string {
  const enabled = inOrderOfChoice(memberships).filter((one) => one.enabled)
  if (enabled.length === 0) throw new SignInFailed('disabled')
  const allowed = enabled.filter((one) => mayUseMembership(provider, one))
  const [first] = allowed
  if (first === undefined) throw new SignInFailed('provider_not_for_tenant')
  const chosen = allowed.find(({ tenantId }) => facts.active.get(tenantId) === true) ?? first
  requireActive(facts, chosen.tenantId)
  return chosen.tenantId
}

async function lockReplaced(tx: Tx, { replacedSessionId }: Arrival): Promise<SessionRow | null> {
  return replacedSessionId === null ? null : lockSession(tx, replacedSessionId)
}

function sessionOf({ person, provider, browser }: Arrival) {
  const { issuer, subject, providerSessionId, authenticatedAt } = person
  const signedIn = { providerId: provider.id, issuer, subject, providerSessionId, authenticatedAt }
  return { kind: 'browser' as const, signedIn, browser }
}

import type { Browser } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import { databaseNow } from '@payments/chassis/database/database-now'
import type { Deps } from '../deps.ts'
import { acceptsInvitation, fitsDomains, inOrderOfChoice, mayEnter } from '../domain/admission.ts'
import { emailKeyOf } from '../domain/email.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import { statusAt } from '../domain/user-invitation.ts'
import { acceptInvitation, followClaims } from '../membership/join-tenant.ts'
import { createSession } from '../session/create-session.ts'
import { endSessions } from '../session/end-sessions.ts'
import type { Tx } from '../store/database.ts'
import { findMember, listMembershipsOfPerson } from '../store/memberships.ts'
import { lockSession, lockSessionAndUser, type SessionRow } from '../store/sessions.ts'
import { lockInvitationById, lockOpenInvitations } from '../store/user-invitations.ts'
import { findUserBySubject, insertUser, lockUser, type UserRow, updateProfile } from '../store/users.ts'
import type { SignedInPerson, SignInProvider } from './providers.ts'
import type { TenantFacts } from './tenant-facts.ts'

/** A person who proved their identity at a sign-in provider. */
export interface Arrival {
  readonly person: SignedInPerson
  readonly provider: SignInProvider
  readonly browser: Browser
  /** The session of the browser before, which ends. Of a step-up: the session that is replaced. */
  readonly sessionId: string | null
  readonly traceId: string
}

type SessionDeps = Pick<Deps, 'sessionValues' | 'sessionLimits'>
type NewSession = Awaited<ReturnType<typeof createSession>>

/**
 * Signs the person in, in a transaction across tenants: finds or creates the user, joins tenants, and replaces the
 * session of the browser. Throws SignInFailed, which rolls everything back. Locks the subject, the user, then
 * invitations.
 */
export async function signIn(
  tx: Tx,
  deps: SessionDeps,
  arrival: Arrival & { readonly invitationId: string | null },
  facts: TenantFacts,
): Promise<NewSession> {
  const { person, provider, invitationId, traceId } = arrival
  if (!fitsDomains(provider, person.verifiedEmail)) {
    throw new SignInFailed(person.verifiedEmail === null ? 'unverified_email' : 'email_domain')
  }
  await lockForTransaction(tx, `identity.subject:${person.issuer} ${person.subject}`)
  const user = await knownUser(tx, person)
  const { userId, tenantId } =
    provider.membership === 'claims'
      ? await joinClaimed(tx, arrival, user, facts)
      : invitationId === null
        ? await enterAsMember(tx, arrival, user, facts)
        : await enterByInvitation(tx, { ...arrival, invitationId }, user, facts)
  await endPrevious(tx, arrival)
  return createSession(tx, deps, { ...sessionOf(arrival), userId, tenantId, traceId })
}

/** Replaces the session by one with a fresh sign-in of the same person, in a transaction across tenants. */
export async function stepUp(tx: Tx, deps: SessionDeps, arrival: Arrival): Promise<NewSession> {
  const { person, sessionId, traceId } = arrival
  const session = sessionId === null ? null : await lockSessionAndUser(tx, sessionId)
  if (session === null || session.expiresAt <= (await databaseNow(tx))) throw new SignInFailed('session_ended')
  if (session.issuer !== person.issuer || session.subject !== person.subject) throw new SignInFailed('other_person')
  const { userId, tenantId } = session
  const member = await findMember(tx, tenantId, userId)
  if (member?.enabled !== true) throw new SignInFailed('session_ended')
  await endSessions(tx, [session], traceId)
  return createSession(tx, deps, { ...sessionOf(arrival), userId, tenantId, traceId })
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

async function joinClaimed(tx: Tx, arrival: Arrival, known: UserRow | null, facts: TenantFacts): Promise<Entry> {
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
async function enterByInvitation(
  tx: Tx,
  { person, provider, invitationId, traceId }: Arrival & { readonly invitationId: string },
  known: UserRow | null,
  facts: TenantFacts,
): Promise<Entry> {
  if (person.verifiedEmail === null) throw new SignInFailed('unverified_email')
  const invitation = await lockInvitationById(tx, invitationId)
  if (invitation === null || statusAt(invitation, await databaseNow(tx)) !== 'open') {
    throw new SignInFailed('invitation_closed')
  }
  if (invitation.emailKey !== emailKeyOf(person.verifiedEmail)) throw new SignInFailed('other_email')
  const { tenantId } = invitation
  if (!mayEnter(provider, tenantId)) throw new SignInFailed('provider_not_for_tenant')
  requireActive(facts, tenantId)
  const user = known ?? (await newUser(tx, person))
  const member = await acceptInvitation(tx, invitation, user, traceId)
  if (!member.enabled) throw new SignInFailed('disabled')
  if (known === null) await acceptOpenInvitations(tx, { person, provider, traceId }, user)
  return { userId: user.id, tenantId }
}

/** A person who is a user of no tenant accepts the open invitations of their verified email address. */
async function enterAsMember(tx: Tx, arrival: Arrival, known: UserRow | null, facts: TenantFacts): Promise<Entry> {
  const { person, provider } = arrival
  const memberships = known === null ? [] : await listMembershipsOfPerson(tx, known.id)
  if (known !== null && memberships.length > 0) return { userId: known.id, tenantId: choose(memberships) }
  if (person.verifiedEmail === null) throw new SignInFailed('unverified_email')
  const user = known ?? (await newUser(tx, person))
  await acceptOpenInvitations(tx, arrival, user)
  const joined = await listMembershipsOfPerson(tx, user.id)
  if (joined.length === 0) throw new SignInFailed('not_invited')
  return { userId: user.id, tenantId: choose(joined) }

  function choose(ofPerson: typeof memberships): string {
    const enabled = inOrderOfChoice(ofPerson).filter((one) => one.enabled)
    if (enabled.length === 0) throw new SignInFailed('disabled')
    const allowed = enabled.filter(({ tenantId }) => mayEnter(provider, tenantId))
    if (allowed.length === 0) throw new SignInFailed('provider_not_for_tenant')
    const chosen = allowed.find(({ tenantId }) => facts.active.get(tenantId) === true)
    if (chosen !== undefined) return chosen.tenantId
    // The person joined a tenant after the facts were read: the next attempt finds it.
    const isKnown = allowed.every(({ tenantId }) => facts.active.has(tenantId))
    throw new SignInFailed(isKnown ? 'tenant_suspended' : 'unavailable')
  }
}

async function acceptOpenInvitations(
  tx: Tx,
  { person, provider, traceId }: Pick<Arrival, 'person' | 'provider' | 'traceId'>,
  user: UserRow,
): Promise<void> {
  const emailKey = emailKeyOf(person.verifiedEmail ?? '')
  const invitations = await lockOpenInvitations(tx, emailKey, await databaseNow(tx))
  for (const invitation of invitations.filter((one) => acceptsInvitation(provider, one))) {
    await acceptInvitation(tx, invitation, user, traceId)
  }
}

function requireActive({ active }: TenantFacts, tenantId: string): void {
  if (active.get(tenantId) !== true) throw new SignInFailed('tenant_suspended')
}

async function endPrevious(tx: Tx, { sessionId, traceId }: Arrival): Promise<void> {
  const previous: SessionRow | null = sessionId === null ? null : await lockSession(tx, sessionId)
  if (previous !== null) await endSessions(tx, [previous], traceId)
}

function sessionOf({ person, provider, browser }: Arrival) {
  const { issuer, subject, providerSessionId, authenticatedAt } = person
  const signedIn = { providerId: provider.id, issuer, subject, providerSessionId, authenticatedAt }
  return { kind: 'browser' as const, signedIn, browser }
}

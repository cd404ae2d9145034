import { databaseNow } from '@payments/chassis/database/database-now'
import { Problem } from '@payments/contracts/grammar/problem'
import type { UserExport } from '@payments/contracts/services/identity/operators'
import { problems } from '@payments/contracts/services/identity/problems'
import type { Deps } from '../deps.ts'
import { presentInvitation } from '../domain/user-invitation.ts'
import { listMembershipsOfPerson, type MembershipRow } from '../store/memberships.ts'
import { listSessionsOfPerson, type SessionRow } from '../store/sessions.ts'
import { listInvitationsOfPerson } from '../store/user-invitations.ts'
import { findUser, listSubjects } from '../store/users.ts'

/**
 * For operators: everything that this service stores about a person. docs/personal-data.md lists what an export omits.
 * Throws user_not_found.
 */
export function exportUser(deps: Deps, userId: string): Promise<UserExport> {
  return deps.db.acrossTenants(async (tx) => {
    const user = await findUser(tx, userId)
    if (user === null) throw new Problem(problems.user_not_found)
    const now = await databaseNow(tx)
    const memberships = await listMembershipsOfPerson(tx, userId)
    const invitations = await listInvitationsOfPerson(tx, { userId, email: user.email })
    const sessions = await listSessionsOfPerson(tx, userId)
    return {
      id: user.id,
      email: user.email,
      name: user.name,
      created_at: user.createdAt.toISOString(),
      unused_since: user.unusedSince?.toISOString() ?? null,
      subjects: await listSubjects(tx, userId),
      memberships: memberships.map(presentMembership),
      invitations: invitations.map((invitation) => ({
        tenant_id: invitation.tenantId,
        user_invitation: presentInvitation(invitation, now),
      })),
      sessions: sessions.map(presentStoredSession),
    }
  })
}

const presentMembership = (membership: MembershipRow) => ({
  tenant_id: membership.tenantId,
  role_ids: membership.roleIds,
  enabled: membership.enabled,
  provider_id: membership.providerId,
  created_at: membership.createdAt.toISOString(),
  created_by: membership.createdBy,
  last_signed_in_at: membership.lastSignedInAt?.toISOString() ?? null,
  sessions_ended_at: membership.sessionsEndedAt?.toISOString() ?? null,
})

const presentStoredSession = (session: SessionRow) => ({
  tenant_id: session.tenantId,
  id: session.id,
  kind: session.kind,
  created_at: session.createdAt.toISOString(),
  authenticated_at: session.authenticatedAt.toISOString(),
  last_seen_at: session.lastSeenAt.toISOString(),
  expires_at: session.expiresAt.toISOString(),
  ip: session.ip,
  user_agent: session.userAgent,
  provider_id: session.providerId,
  issuer: session.issuer,
  subject: session.subject,
  provider_session_id: session.providerSessionId,
})

import { databaseNow } from '@payments/chassis/database/database-now'
import { Problem } from '@payments/contracts/grammar/problem'
import type { UserExport } from '@payments/contracts/services/identity/operators'
import { problems } from '@payments/contracts/services/identity/problems'
import type { Deps } from '../deps.ts'
import { emailKeyOf } from '../domain/email.ts'
import { presentInvitation } from '../domain/user-invitation.ts'
import { listMembershipsOfPerson } from '../store/memberships.ts'
import { listSessionsOfPerson } from '../store/sessions.ts'
import { listInvitationsOfPerson } from '../store/user-invitations.ts'
import { findUser, listSubjects } from '../store/users.ts'

/** For operators: everything that this service stores about a person. Throws user_not_found. */
export function exportUser(deps: Deps, userId: string): Promise<UserExport> {
  return deps.db.acrossTenants(async (tx) => {
    const user = await findUser(tx, userId)
    if (user === null) throw new Problem(problems.user_not_found)
    const now = await databaseNow(tx)
    const emailKey = user.email === null ? null : emailKeyOf(user.email)
    const memberships = await listMembershipsOfPerson(tx, userId)
    const invitations = await listInvitationsOfPerson(tx, { userId, emailKey })
    const sessions = await listSessionsOfPerson(tx, userId)
    return {
      id: user.id,
      email: user.email,
      name: user.name,
      created_at: user.createdAt.toISOString(),
      subjects: await listSubjects(tx, userId),
      memberships: memberships.map(({ tenantId, roleIds, enabled, createdAt, lastSignedInAt }) => ({
        tenant_id: tenantId,
        role_ids: roleIds,
        enabled,
        created_at: createdAt.toISOString(),
        last_signed_in_at: lastSignedInAt?.toISOString() ?? null,
      })),
      invitations: invitations.map((invitation) => ({
        tenant_id: invitation.tenantId,
        user_invitation: presentInvitation(invitation, now),
      })),
      sessions: sessions.map(({ tenantId, id, createdAt, ip, userAgent }) => ({
        tenant_id: tenantId,
        id,
        created_at: createdAt.toISOString(),
        ip,
        user_agent: userAgent,
      })),
    }
  })
}

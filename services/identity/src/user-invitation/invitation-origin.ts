import { uuid } from '@payments/contracts/grammar/field'
import { Problem } from '@payments/contracts/grammar/problem'
import type { Deps } from '../deps.ts'
import type { InvitationOrigin } from '../domain/user-invitation.ts'
import { findMember } from '../store/memberships.ts'
import type { InvitationRow } from '../store/user-invitations.ts'

type Invitation = Pick<InvitationRow, 'tenantId' | 'roleIds' | 'createdBy'>

/** Never inside a transaction. Throws the problems of rbac. */
export async function readOrigin(
  { db, rbac }: Pick<Deps, 'db' | 'rbac'>,
  { tenantId, roleIds, createdBy }: Invitation,
  traceId: string,
): Promise<InvitationOrigin> {
  const { name, roles } = await rbac.readTenant({ traceId }, { params: { tenant_id: tenantId } })
  const inviterId = parseUserId(createdBy)
  const member =
    inviterId === null ? null : await db.readInTenant(tenantId, (tx) => findMember(tx, tenantId, inviterId))
  const roleNames = roles.filter(({ id }) => roleIds.includes(id)).map((role) => role.name)
  return {
    tenantName: name,
    inviter: member === null ? null : { name: member.user.name, email: member.user.email },
    roleNames: roleNames.sort((a, b) => (a < b ? -1 : 1)),
  }
}

/** As readOrigin, for a page. Null when rbac does not respond: the names only help the person. */
export async function originForPage(
  deps: Pick<Deps, 'db' | 'rbac'>,
  invitation: Invitation,
  traceId: string,
): Promise<InvitationOrigin | null> {
  try {
    return await readOrigin(deps, invitation, traceId)
  } catch (error) {
    if (error instanceof Problem) return null
    throw error
  }
}

/** The subject of another issuer is any text, and no user. */
function parseUserId(createdBy: string): string | null {
  const parsed = uuid.safeParse(/^user:(.*)$/s.exec(createdBy)?.[1])
  return parsed.success ? parsed.data : null
}

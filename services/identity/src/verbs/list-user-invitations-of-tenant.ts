import type { Page } from '@payments/contracts/grammar/page'
import type { UserInvitation } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { type InvitationQuery, pageOfInvitations } from '../user-invitation/page-of-invitations.ts'

/** For operators. */
export function listUserInvitationsOfTenant(
  deps: Deps,
  tenantId: string,
  query: InvitationQuery,
): Promise<Page<UserInvitation>> {
  return pageOfInvitations(deps, tenantId, query)
}

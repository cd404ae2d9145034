import { idBefore, type Page, type PageQuery, pageOf } from '@payments/contracts/grammar/page'
import type { User } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { presentUser } from '../domain/user.ts'
import { findMembersWithEmail, listMembers, searchMembers } from '../store/memberships.ts'

export interface UserQuery extends PageQuery {
  readonly email?: string | undefined
  readonly search?: string | undefined
  readonly role_id?: string | undefined
  readonly enabled?: 'true' | 'false' | undefined
}

/** In the order of the ids of the users: a person who joins a second tenant is not the newest user there. */
export async function pageOfUsers({ db }: Pick<Deps, 'db'>, tenantId: string, query: UserQuery): Promise<Page<User>> {
  const { cursor, limit, email, search, role_id: roleId, enabled } = query
  const page = { before: idBefore(cursor), limit }
  const rows = await db.readInTenant(tenantId, async (tx) => {
    return listMembers(tx, tenantId, page, {
      ...(email === undefined ? {} : { withEmail: await findMembersWithEmail(tx, tenantId, email) }),
      ...(search === undefined ? {} : { found: await searchMembers(tx, tenantId, search) }),
      ...(roleId === undefined ? {} : { roleId }),
      ...(enabled === undefined ? {} : { enabled: enabled === 'true' }),
    })
  })
  return pageOf(
    rows.map((member) => ({ id: member.userId, member })),
    limit,
    ({ member }) => presentUser(member),
  )
}

import { idBefore, type Page, type PageQuery, pageOf } from '@payments/contracts/grammar/page'
import type { User } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { emailKeyOf } from '../domain/email.ts'
import { presentUser } from '../domain/user.ts'
import { findMembersWithEmail, listMembers } from '../store/memberships.ts'

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
    const byEmail = email === undefined ? {} : { userIds: await findMembersWithEmail(tx, tenantId, emailKeyOf(email)) }
    return listMembers(tx, tenantId, page, {
      ...byEmail,
      ...(search === undefined ? {} : { search }),
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

import type { Caller } from '@payments/chassis/base/caller'
import { rowsWithPart } from '@payments/chassis/base/name-search'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { idBefore, type Page, toPage } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import type { identityContract } from '@payments/contracts/services/identity/contract'
import { problems } from '@payments/contracts/services/identity/problems'
import type { User } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import type { Operator } from '../domain/permissions.ts'
import { presentUser } from '../domain/user.ts'
import { findMember, findMembersWithEmail, listMembers, listNames } from '../store/memberships.ts'

type UserQuery = RequestOf<typeof identityContract.endpoints.listUsers>['query']

/** In the order of the ids of the users: a person who joins a second tenant is not the newest user there. */
export async function listUsers(deps: Deps, { tenantId }: Caller | Operator, query: UserQuery): Promise<Page<User>> {
  const { cursor, limit, email, search, role_id: roleId, enabled } = query
  const page = { before: idBefore(cursor), limit }
  const found = search === undefined ? [] : [await searchUsers(deps, tenantId, search)]
  const rows = await deps.db.readInTenant(tenantId, async (tx) => {
    const withEmail = email === undefined ? [] : [await findMembersWithEmail(tx, tenantId, email)]
    return listMembers(tx, tenantId, page, { among: [...found, ...withEmail], roleId, enabled })
  })
  return toPage(
    rows.map((member) => ({ id: member.userId, member })),
    limit,
    ({ member }) => presentUser(member),
  )
}

/** The ids of the users of the tenant whose name or email address has the part. */
async function searchUsers({ db }: Deps, tenantId: string, part: string): Promise<string[]> {
  const rows = await db.readInTenant(tenantId, (tx) => listNames(tx, tenantId))
  const found = await rowsWithPart(tenantId, { rows, listTexts: ({ name, email }) => [name, email], part })
  return found.map(({ id }) => id)
}

/** Throws user_not_found. */
export async function readUser({ db }: Deps, { tenantId }: Caller | Operator, userId: string): Promise<User> {
  const member = await db.readInTenant(tenantId, (tx) => findMember(tx, tenantId, userId))
  if (member === null) throw new Problem(problems.user_not_found)
  return presentUser(member)
}

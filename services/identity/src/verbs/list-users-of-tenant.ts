import type { Page } from '@payments/contracts/grammar/page'
import type { User } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { pageOfUsers, type UserQuery } from '../membership/page-of-users.ts'

/** For operators. */
export function listUsersOfTenant(deps: Deps, tenantId: string, query: UserQuery): Promise<Page<User>> {
  return pageOfUsers(deps, tenantId, query)
}

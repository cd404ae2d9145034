import type { Caller } from '@payments/chassis/base/caller'
import type { Page } from '@payments/contracts/grammar/page'
import type { User } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { pageOfUsers, type UserQuery } from '../membership/page-of-users.ts'

export function listUsers(deps: Deps, { tenantId }: Caller, query: UserQuery): Promise<Page<User>> {
  return pageOfUsers(deps, tenantId, query)
}

import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/identity/problems'
import type { User } from '@payments/contracts/services/identity/users'
import type { Deps } from '../deps.ts'
import { presentUser } from '../domain/user.ts'
import { findMember } from '../store/memberships.ts'

/** Throws user_not_found. */
export async function readUser(deps: Deps, { tenantId }: Caller, userId: string): Promise<User> {
  const member = await deps.db.readInTenant(tenantId, (tx) => findMember(tx, tenantId, userId))
  if (member === null) throw new Problem(problems.user_not_found)
  return presentUser(member)
}

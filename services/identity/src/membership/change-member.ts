import type { Caller } from '@payments/chassis/base/caller'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/identity/problems'
import type { Deps } from '../deps.ts'
import type { Grants } from '../domain/permissions.ts'
import type { Tx } from '../store/database.ts'
import { findMember, listRoleSets, lockMember, lockMembers, type MemberRow } from '../store/memberships.ts'
import { lockUsersOfTenant } from '../store/users.ts'
import { resolveGrants } from './role-grants.ts'

/**
 * **What it does.** Runs the transaction of a verb that changes a user, with what the roles of the tenant's users
 * grant. rbac is called between two transactions.
 *
 * **Guarantees.** The verb decides on the users as they are at its commit:
 * 1. Read the roles of the users and resolve them with rbac.
 * 2. Lock the users of the tenant, so that two requests do not each take one of two administrators.
 * 3. Read the roles again. One that step 1 did not resolve repeats step 1, `attemptsMax` times in all.
 *
 * **Not guaranteed.** A simultaneous edit of a role in rbac can leave no administrator: each decides on its own data.
 * An operator then invites one.
 */
const attemptsMax = 3

export interface MemberChange {
  readonly member: MemberRow
  /** The roles of the other enabled users of the tenant. */
  readonly others: readonly (readonly string[])[]
  readonly grants: Grants
}

/**
 * Runs `work` in one transaction with the user locked. `roleIds`: roles that the change gives, also resolved.
 * Throws user_not_found, service_unavailable, and the errors of `work`.
 */
export async function changeMember<R>(
  deps: Pick<Deps, 'db' | 'rbac'>,
  caller: Pick<Caller, 'tenantId' | 'traceId'>,
  { userId, roleIds = [] }: { readonly userId: string; readonly roleIds?: readonly string[] | undefined },
  work: (tx: Tx, change: MemberChange) => Promise<R>,
): Promise<R> {
  const { tenantId } = caller
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const found = await deps.db.readInTenant(tenantId, async (tx) => ({
      member: await findMember(tx, tenantId, userId),
      others: await listRoleSets(tx, tenantId, userId),
    }))
    if (found.member === null) throw new Problem(problems.user_not_found)
    const resolvedIds = [...found.member.roleIds, ...found.others.flat(), ...roleIds]
    const { grants } = await resolveGrants(deps, caller, resolvedIds, 'authorize')
    try {
      return await deps.db.inTenant(tenantId, async (tx) => {
        const member = await lockForChange(tx, tenantId, userId)
        const others = await listRoleSets(tx, tenantId, userId)
        const isResolved = [member.roleIds, ...others].every((ids) => ids.every((id) => grants.has(id)))
        if (!isResolved) throw new RolesReplaced()
        return work(tx, { member, others, grants })
      })
    } catch (error) {
      if (!(error instanceof RolesReplaced)) throw error
    }
  }
  const detail = `Concurrent requests replaced the roles of users during each of ${attemptsMax} attempts`
  throw new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds: 1 })
}

/** Locks the users of the tenant against concurrent changes, then the user. Throws user_not_found. */
export async function lockForChange(tx: Tx, tenantId: string, userId: string): Promise<MemberRow> {
  await lockMembers(tx, tenantId)
  await lockUsersOfTenant(tx, tenantId, [userId])
  const member = await lockMember(tx, tenantId, userId)
  if (member === null) throw new Problem(problems.user_not_found)
  return member
}

/** Rolls back the attempt before the next one. */
class RolesReplaced extends Error {}

import type { Caller } from '@payments/chassis/caller'
import { problems } from '@payments/contracts/api-key'
import type { Permission } from '@payments/contracts/permission'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { Deps } from './deps.ts'
import { roleIdsOf } from './domain/key.ts'
import type { GrantingRole } from './domain/role.ts'
import type { Tx } from './store/database.ts'
import { findKey, type KeyRow, lockKey } from './store/keys.ts'

/**
 * What a key may do now, for verbs that must know it while they hold the key's lock. rbac is asked between two
 * transactions, never inside one: read the roles, ask, lock the key, and see that the roles are still those. Where
 * somebody replaced them meanwhile, it begins again, `attemptsMax` times.
 *
 * Not promised: that rbac does not change what the roles grant between its answer and the commit.
 */
const attemptsMax = 3

/**
 * Runs `work` in one transaction, the key locked. `before` runs in it first, and calls what it is given to go on: a verb with
 * an Idempotency-Key locks that before the key. Throws key_not_found, service_unavailable, and what `work` throws.
 */
export async function withPresentGrant<R>(
  deps: Deps,
  caller: Caller,
  keyId: string,
  work: (tx: Tx, key: KeyRow, granted: readonly Permission[]) => Promise<R>,
  before: (tx: Tx, goOn: () => Promise<R>) => Promise<R> = (_tx, goOn) => goOn(),
): Promise<R> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const found = await deps.db.inTenant(caller.tenantId, (tx) => findKey(tx, caller.tenantId, keyId))
    if (found === null) throw new Problem(problems.key_not_found)
    const judgedBy = roleIdsOf(found)
    const { permissions: granted } = await resolve(deps, caller, judgedBy)
    const locked = async (tx: Tx): Promise<R> => {
      const key = await lockKey(tx, caller.tenantId, keyId)
      if (key === null) throw new Problem(problems.key_not_found)
      if (roleIdsOf(key).join() !== judgedBy.join()) throw new RolesReplaced()
      return work(tx, key, granted)
    }
    try {
      return await deps.db.inTenant(caller.tenantId, (tx) => before(tx, () => locked(tx)))
    } catch (error) {
      if (!(error instanceof RolesReplaced)) throw error
    }
  }
  const detail = 'The roles of the key were replaced again and again while they were judged'
  throw new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds: 1 })
}

/** Rolls back: nothing that was decided, an Idempotency-Key included, may stay of an attempt that begins again. */
class RolesReplaced extends Error {}

/** What roles grant, together and each, as rbac says now. A role that is no more grants nothing. */
export async function resolve(
  deps: Pick<Deps, 'rbac'>,
  caller: Pick<Caller, 'tenantId' | 'traceId'>,
  roleIds: readonly string[],
): Promise<{ permissions: readonly Permission[]; roles: readonly GrantingRole[] }> {
  if (roleIds.length === 0) return { permissions: [], roles: [] }
  return deps.rbac.resolveRoles(
    { traceId: caller.traceId },
    { params: { tenant_id: caller.tenantId }, body: { role_ids: [...roleIds] } },
  )
}

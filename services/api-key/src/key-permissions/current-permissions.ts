import type { Caller } from '@payments/chassis/base/caller'
import type { Permission } from '@payments/contracts/grammar/permission'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/api-key/contract'
import type { Deps } from '../deps.ts'
import { roleIdsOf } from '../domain/key.ts'
import type { Tx } from '../store/database.ts'
import { findKey, type KeyRow, lockKey } from '../store/keys.ts'
import { resolveRoles } from './resolve-roles.ts'

/**
 * **What it does.** Runs the transaction of a verb with the current permissions of a key. The verb needs them while it
 * holds the lock of the key; rbac is called between two transactions, never inside one.
 *
 * **Guarantees.** The verb runs only when the locked key still has the roles that rbac resolved:
 * 1. Read the roles of the key.
 * 2. Resolve them with rbac.
 * 3. Lock the key and compare its roles. Roles that differ roll back, and step 1 follows, `attemptsMax` times in all.
 *
 * **Not guaranteed.** rbac may change what a role grants between its response and the commit.
 */
const attemptsMax = 3

/**
 * Runs `work` in one transaction with the key locked. `before` runs first in that transaction and calls `proceed`: a
 * verb with an Idempotency-Key locks the Idempotency-Key before the key.
 * Throws key_not_found, service_unavailable, and the errors of `work`.
 */
export async function withCurrentPermissions<R>(
  deps: Deps,
  caller: Caller,
  keyId: string,
  work: (tx: Tx, key: KeyRow, granted: readonly Permission[]) => Promise<R>,
  before: (tx: Tx, proceed: () => Promise<R>) => Promise<R> = (_tx, proceed) => proceed(),
): Promise<R> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const found = await deps.db.readInTenant(caller.tenantId, (tx) => findKey(tx, caller.tenantId, keyId))
    if (found === null) throw new Problem(problems.key_not_found)
    const resolvedIds = roleIdsOf(found)
    const { permissions: granted } = await resolveRoles(deps, caller, resolvedIds)
    const locked = async (tx: Tx): Promise<R> => {
      const key = await lockKey(tx, caller.tenantId, keyId)
      if (key === null) throw new Problem(problems.key_not_found)
      if (roleIdsOf(key).join() !== resolvedIds.join()) throw new RolesReplaced()
      return work(tx, key, granted)
    }
    try {
      return await deps.db.inTenant(caller.tenantId, (tx) => before(tx, () => locked(tx)))
    } catch (error) {
      if (!(error instanceof RolesReplaced)) throw error
    }
  }
  const detail = `Concurrent requests replaced the roles of the key during each of ${attemptsMax} attempts`
  throw new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds: 1 })
}

/** Rolls back the whole attempt, its Idempotency-Key included, before the next attempt. */
class RolesReplaced extends Error {}

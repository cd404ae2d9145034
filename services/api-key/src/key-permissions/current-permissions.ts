import type { Caller, CallerWithPermissions } from '@payments/chassis/base/caller'
import { EndedCredential } from '@payments/chassis/base/ended-credential'
import type { Permission } from '@payments/contracts/grammar/permission'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/api-key/contract'
import type { Deps } from '../deps.ts'
import { isOwnKey, isUsable } from '../domain/permissions.ts'
import type { Tx } from '../store/database.ts'
import { findKey, type KeyRow, lockKey } from '../store/keys.ts'
import { resolveRoles } from './resolve-roles.ts'

/**
 * **What it does.** Runs the transaction of a verb with the current permissions of a key, and of the caller if that is
 * another key. rbac is called between two transactions.
 *
 * **Guarantees.** The verb runs only when the locked keys still have the roles that rbac resolved:
 * 1. Read the roles of the keys.
 * 2. Resolve them with rbac.
 * 3. Lock the keys by id and compare their roles. Roles that differ roll back, and step 1 follows, `attemptsMax` times
 *    in all.
 *
 * A calling key is usable and has the permissions of `holder` until the commit.
 *
 * **Not guaranteed.** rbac may change what a role grants between its response and the commit.
 */
const attemptsMax = 20

/** The locked key, the permissions that its roles grant, and the caller with the permissions that it has now. */
export interface CurrentKey {
  readonly key: KeyRow
  readonly granted: readonly Permission[]
  readonly holder: CallerWithPermissions
}

/**
 * Runs `work` in one transaction with the key locked. `before` runs first in that transaction and calls `proceed`: a
 * verb with an Idempotency-Key locks the Idempotency-Key before the key.
 * Throws key_not_found, invalid_credentials, service_unavailable, and the errors of `work`.
 */
export async function withCurrentPermissions<R>(
  deps: Deps,
  caller: CallerWithPermissions,
  keyId: string,
  work: (tx: Tx, current: CurrentKey) => Promise<R>,
  before: (tx: Tx, proceed: () => Promise<R>) => Promise<R> = (_tx, proceed) => proceed(),
): Promise<R> {
  const { tenantId, actor } = caller
  const callingKeyId = actor.type === 'api_key' && !isOwnKey(caller, keyId) ? actor.id : null
  const keyIds = [keyId, ...(callingKeyId === null ? [] : [callingKeyId])].sort()
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const found = await deps.db.readInTenant(tenantId, (tx) => inTurn(keyIds, (id) => findKey(tx, tenantId, id)))
    requireKeys(found, keyId, callingKeyId)
    const grants = await resolveKeys(deps, caller, found)
    const locked = async (tx: Tx): Promise<R> => {
      const keys = await inTurn(keyIds, (id) => lockKey(tx, tenantId, id))
      const key = requireKeys(keys, keyId, callingKeyId)
      if (joinRoleIds(keys) !== joinRoleIds(found)) throw new RolesReplaced()
      const held = callingKeyId === null ? [...caller.permissions] : (grants.get(callingKeyId) ?? [])
      const permissions = new Set(held.filter((permission) => caller.permissions.has(permission)))
      return work(tx, { key, granted: grants.get(keyId) ?? [], holder: { ...caller, permissions } })
    }
    try {
      return await deps.db.inTenant(tenantId, (tx) => before(tx, () => locked(tx)))
    } catch (error) {
      if (!(error instanceof RolesReplaced)) throw error
    }
  }
  const detail = `Concurrent requests replaced the roles of a key during each of ${attemptsMax} attempts`
  throw new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds: 1 })
}

/** The key. Throws key_not_found, and invalid_credentials when the calling key is not usable. */
function requireKeys(keys: readonly (KeyRow | null)[], keyId: string, callingKeyId: string | null): KeyRow {
  const withId = (id: string) => keys.find((key) => key?.id === id)
  const calling = callingKeyId === null ? null : withId(callingKeyId)
  if (calling === undefined || (calling !== null && !isUsable(calling, new Date()))) {
    throw new EndedCredential()
  }
  const key = withId(keyId)
  if (key === undefined || key === null) throw new Problem(problems.key_not_found)
  return key
}

/** The permissions of each key, by its id. One call: replicas of rbac of two releases may grant different ones. */
async function resolveKeys(
  deps: Deps,
  caller: Caller,
  keys: readonly (KeyRow | null)[],
): Promise<ReadonlyMap<string, readonly Permission[]>> {
  const known = keys.filter((key) => key !== null)
  const { roles } = await resolveRoles(deps, caller, [...new Set(known.flatMap(({ roleIds }) => roleIds))])
  return new Map(
    known.map(({ id, roleIds }) => {
      const granting = roles.filter((role) => roleIds.includes(role.id))
      return [id, [...new Set(granting.flatMap(({ permissions }) => permissions))]]
    }),
  )
}

const joinRoleIds = (keys: readonly (KeyRow | null)[]) => keys.map((key) => key?.roleIds.join()).join(' ')

async function inTurn<R>(ids: readonly string[], read: (id: string) => Promise<R>): Promise<R[]> {
  const found: R[] = []
  for (const id of ids) found.push(await read(id))
  return found
}

/** Rolls back the whole attempt, its Idempotency-Key included, before the next attempt. */
class RolesReplaced extends Error {}

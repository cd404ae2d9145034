import { requirePrimary } from '@payments/chassis/database/authorization-version'
import type { KeyIdentity } from '@payments/contracts/services/api-key/contract'
import type { Deps } from '../deps.ts'
import { presentIdentity } from '../domain/key.ts'
import { findIdentity } from '../store/values.ts'

/**
 * The key of a key hash, disabled and expired keys included: the gateway authenticates. null for an unknown hash.
 * Throws on a server in recovery.
 */
export async function identifyKey(deps: Deps, hashed: string): Promise<{ key: KeyIdentity | null }> {
  const found = await deps.db.acrossTenants(async (tx) => {
    await requirePrimary(tx)
    return findIdentity(tx, deps.values.indexes(hashed))
  })
  return { key: found === undefined ? null : presentIdentity(found) }
}

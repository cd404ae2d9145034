import type { KeyIdentity } from '@payments/contracts/api-key'
import type { Deps } from '../deps.ts'
import { presentIdentity } from '../domain/key.ts'
import { findIdentity } from '../store/values.ts'

/** The key of a key hash, disabled and expired keys included: the gateway authenticates. null for an unknown hash. */
export async function identifyKey(deps: Deps, hashed: string): Promise<{ key: KeyIdentity | null }> {
  const found = await deps.db.acrossTenants((tx) => findIdentity(tx, deps.values.indexes(hashed)))
  return { key: found === undefined ? null : presentIdentity(found) }
}

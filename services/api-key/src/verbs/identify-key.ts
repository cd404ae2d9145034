import type { KeyIdentity } from '@payments/contracts/api-key'
import type { Deps } from '../deps.ts'
import { presentIdentity } from '../domain/key.ts'
import { findIdentity } from '../store/values.ts'

/** The key behind a handle, whatever its state: the gateway judges. null where there is none. */
export async function identifyKey(deps: Deps, handle: string): Promise<{ key: KeyIdentity | null }> {
  const found = await deps.db.acrossTenants((tx) => findIdentity(tx, deps.values.lookups(handle)))
  return { key: found === undefined ? null : presentIdentity(found) }
}

import { readOnPrimary } from '@payments/chassis/database/authorization-version'
import { allTenants } from '@payments/chassis/database/scope'
import type { KeyIdentity } from '@payments/contracts/services/api-key/contract'
import type { Deps } from '../deps.ts'
import { type IdentityFacts, presentIdentity } from '../domain/key.ts'
import { selectIdentity } from '../store/values.ts'

/**
 * The key of a key hash, disabled and expired keys included: the gateway authenticates. null for an unknown hash.
 * Throws on a server in recovery.
 */
export async function identifyKey(deps: Deps, hashed: string): Promise<{ key: KeyIdentity | null }> {
  const select = selectIdentity(deps.values.indexes(hashed))
  const [[found] = []] = await readOnPrimary<IdentityFacts[][]>(deps.db, allTenants, [select])
  return { key: found === undefined ? null : presentIdentity(found) }
}

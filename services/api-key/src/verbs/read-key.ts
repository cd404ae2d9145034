import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { type Key, problems } from '@payments/contracts/services/api-key/contract'
import type { Deps } from '../deps.ts'
import { presentKey } from '../domain/key.ts'
import { findKey } from '../store/keys.ts'

/** Throws key_not_found. */
export async function readKey(deps: Deps, caller: Caller, keyId: string): Promise<Key> {
  const key = await deps.db.readInTenant(caller.tenantId, (tx) => findKey(tx, caller.tenantId, keyId))
  if (key === null) throw new Problem(problems.key_not_found)
  return presentKey(key, new Date())
}

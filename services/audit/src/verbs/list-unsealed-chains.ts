import type { Deps } from '../deps.ts'
import { findUnsealedChains } from '../store/chains.ts'

/** By tenant, after `after`. */
export function listUnsealedChains(
  deps: Deps,
  page: { readonly after: string | null; readonly chainsMax: number },
): Promise<string[]> {
  return deps.db.acrossTenants((tx) => findUnsealedChains(tx, page))
}

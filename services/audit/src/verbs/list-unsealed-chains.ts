import type { Deps } from '../deps.ts'
import { findUnsealedChains } from '../store/chains.ts'

export function listUnsealedChains(deps: Deps, chainsMax: number): Promise<string[]> {
  return deps.db.acrossTenants((tx) => findUnsealedChains(tx, chainsMax))
}

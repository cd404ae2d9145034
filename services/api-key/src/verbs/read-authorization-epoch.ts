import { readEpoch } from '@payments/chassis/epoch'
import type { AuthorizationEpoch } from '@payments/contracts/epoch'
import type { Deps } from '../deps.ts'

/** Asked all the time: one statement, and no transaction around it. */
export function readAuthorizationEpoch(deps: Deps, since: number | undefined): Promise<AuthorizationEpoch> {
  return readEpoch(deps.db.epochs, since)
}

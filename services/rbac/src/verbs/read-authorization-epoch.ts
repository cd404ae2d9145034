import { readAuthorizationVersion } from '@payments/chassis/authorization-version'
import type { AuthorizationEpoch } from '@payments/contracts/authorization-version'
import type { Deps } from '../deps.ts'

/** Asked all the time: one statement, and no transaction around it. */
export function readAuthorizationEpoch(deps: Deps, since: number | undefined): Promise<AuthorizationEpoch> {
  return readAuthorizationVersion(deps.db.epochs, since)
}

import { readAuthorizationVersion } from '@payments/chassis/authorization-version'
import type { AuthorizationEpoch } from '@payments/contracts/authorization-version'
import type { Deps } from '../deps.ts'

/** Each gateway calls it continually: one statement, without a transaction. */
export function readAuthorizationEpoch(deps: Deps, since: number | undefined): Promise<AuthorizationEpoch> {
  return readAuthorizationVersion(deps.db.epochs, since)
}

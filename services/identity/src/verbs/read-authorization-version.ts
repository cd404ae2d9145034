import { selectAuthorizationVersion } from '@payments/chassis/database/authorization-version'
import type { AuthorizationVersionReply } from '@payments/contracts/endpoints/authorization-version'
import type { Deps } from '../deps.ts'

/** Each gateway calls it continually: one statement, without a transaction. */
export function readAuthorizationVersion(deps: Deps, since: number | undefined): Promise<AuthorizationVersionReply> {
  return selectAuthorizationVersion(deps.db.versionSessions, since)
}

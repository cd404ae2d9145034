import { selectAuthorizationVersion } from '@payments/chassis/database/authorization-version'
import type { AuthorizationVersionReply } from '@payments/contracts/endpoints/authorization-version'
import type { Deps } from '../deps.ts'
import { catalogue } from '../domain/role.ts'

/** Each gateway calls it continually: one statement, without a transaction. */
export async function readAuthorizationVersion(
  deps: Deps,
  since: number | undefined,
): Promise<AuthorizationVersionReply> {
  return { ...(await selectAuthorizationVersion(deps.db.versionSessions, since)), catalogue }
}

import { previousLeaseMs } from '@payments/chassis/database/authorization-lease'
import type { AuthorizationVersionReply } from '@payments/contracts/endpoints/authorization-version'
import type { Deps } from '../deps.ts'
import { catalogue } from '../domain/role.ts'

/** For gateways of 0.2.0. Later ones call `acquireAuthorizationLease` (docs/decisions/0008). */
export async function readAuthorizationVersion(
  { db }: Pick<Deps, 'db'>,
  since: number | undefined,
): Promise<AuthorizationVersionReply> {
  return { ...(await db.versions.read(since)), lease_ms: previousLeaseMs, catalogue }
}

import type { Deps } from '../deps.ts'
import type { RequestCount } from '../domain/request-count.ts'
import { addRequests, announceReplicas } from '../store/request-rates.ts'

/**
 * For gateways of 0.2.0. Later ones report with `acquireAuthorizationLease` (docs/decisions/0008).
 *
 * Adds the requests of a gateway replica to the shared buckets, one statement per report, and renews the presence
 * of the replica. The gateway decides which requests are rejected. Returns the state of the buckets in the order of
 * `counts`.
 */
export async function countRequests(
  { db }: Pick<Deps, 'db'>,
  replica: string,
  counts: readonly RequestCount[],
): Promise<{ replicas: number; full_in_seconds: number[] }> {
  const replicas = await announceReplicas(db.sql, [replica])
  const fullIn = counts.length === 0 ? new Map<string, number>() : await addRequests(db.sql, counts)
  return { replicas, full_in_seconds: counts.map(({ subject }) => fullIn.get(subject) ?? 0) }
}

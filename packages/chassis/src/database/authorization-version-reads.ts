import type { AuthorizationVersionReply, InvalidationKind } from '@payments/contracts/endpoints/authorization-version'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { Batch } from '../base/batch.ts'
import { DeadlineError, within } from '../base/deadline.ts'
import { leaseMs } from './authorization-lease.ts'
import { namedMax } from './authorization-version.ts'
import { openSessionPool } from './session.ts'
import type { Statement } from './statement.ts'

/**
 * **What it does.** Reads the authorization version for all gateways of a process. Callers share a statement.
 *
 * **Guarantees.** At most one read is in progress, whatever the number of gateways. A read began after the call that it
 * serves. Each caller gets the changes after its own `since`, so one whose `since` is old invalidates the cache of no
 * other.
 */
export interface VersionReads {
  /** Throws in recovery, and service_unavailable without a response of the database. */
  read(since: number | undefined): Promise<AuthorizationVersionReply>
}

/** The sessions of version reads. */
export interface VersionSessions {
  query<R>(statement: Statement): Promise<R[]>
}

/**
 * Opens sessions for reads of the authorization version, separate from the sessions of Prisma. While such a read is
 * late, the leases of the gateways expire and requests wait. So it does not queue behind transactions
 * (docs/decisions/0008).
 */
export function openVersionSessions(url: string): VersionSessions & { close(): Promise<void> } {
  const pool = openSessionPool(url, { max: sessionsMax, responseMsMax: readMsMax })
  return {
    query: async (statement) => (await pool.statement(statement)).rows,
    close: () => pool.end(),
  }
}

/** One read is in progress. The second session serves while the server does not respond to the first one. */
const sessionsMax = 2
const readMsMax = 2_000
/** More than the reads in progress of a thousand gateways. */
const waitingMax = 10_000

export function createVersionReads(sessions: VersionSessions): VersionReads {
  const reads = new Batch(
    (sinces: readonly (number | undefined)[]) =>
      within(readMsMax, 'read of the authorization version', selectVersions(sessions, sinces)),
    { itemsMax: waitingMax, runningMax: 1, gatherMs: 0, waitingMax },
  )
  return {
    read: (since) =>
      reads.add(since).catch((cause: unknown) => {
        if (!(cause instanceof DeadlineError)) throw cause
        throw new Problem(commonProblems.service_unavailable, { retryAfterSeconds: 1, cause })
      }),
  }
}

/** The newest changes, at most `namedMax`. A caller that lacks no more than these gets all that it lacks. */
const readSql = `
  SELECT authz_epoch.epoch::text AS epoch,
    md5(concat_ws(' ', incarnation, extract(epoch FROM pg_postmaster_start_time()), pg_database.oid)) AS incarnation,
    (SELECT json_agg(json_build_array(later.epoch, later.kind, later.id) ORDER BY later.epoch) FROM (
      SELECT epoch, kind, id FROM authz_invalidations WHERE epoch > $1::bigint ORDER BY epoch DESC LIMIT $2::int
    ) AS later) AS named
  FROM authz_epoch, pg_database
  WHERE datname = current_database() AND NOT pg_is_in_recovery()`

type Named = readonly [epoch: number, kind: InvalidationKind, id: string]

interface Row {
  readonly epoch: string
  readonly incarnation: string
  readonly named: readonly Named[] | null
}

/**
 * Reads the epoch, and the changes after each of `sinces`, in one statement, hence from one snapshot. Throws in
 * recovery.
 */
export async function selectVersions(
  sessions: VersionSessions,
  sinces: readonly (number | undefined)[],
): Promise<AuthorizationVersionReply[]> {
  const known = sinces.filter((since) => since !== undefined)
  const oldest = known.length === 0 ? null : Math.min(...known)
  const [row] = await sessions.query<Row>({ text: readSql, values: [oldest, namedMax + 1] })
  if (row === undefined) throw new Error('authz_epoch has no row, or the server is in recovery')
  const { incarnation } = row
  const epoch = Number(row.epoch)
  const named = row.named ?? []
  const replies = new Map<number | undefined, AuthorizationVersionReply>()
  for (const since of sinces) {
    if (replies.has(since)) continue
    replies.set(since, { incarnation, epoch, invalidated: changesAfter(since, epoch, named), lease_ms: leaseMs })
  }
  return sinces.map((since) => replies.get(since) as AuthorizationVersionReply)
}

/** Null if the rows do not name each change after `since`. */
function changesAfter(
  since: number | undefined,
  epoch: number,
  named: readonly Named[],
): AuthorizationVersionReply['invalidated'] {
  if (since === undefined) return null
  const later = named.filter(([at]) => at > since)
  if (later.length > namedMax || !isGapless(since, epoch, later)) return null
  return later.map(([, kind, id]) => ({ kind, id }))
}

/** Whether each epoch after `since`, up to `epoch`, has a row. */
function isGapless(since: number, epoch: number, named: readonly Named[]): boolean {
  let reached = since
  for (const [next] of named) {
    if (next > reached + 1) return false
    reached = next
  }
  return reached === epoch
}

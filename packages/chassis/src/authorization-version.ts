import type { AuthorizationEpoch, InvalidationKind } from '@payments/contracts/authorization-version'
import { beforeCommit, type SqlTx } from './transaction.ts'

/**
 * Authorization epochs, the owner's side: how a reader that remembers what somebody may do learns that it no longer holds.
 *
 * People: a verb that changes power (takes it or adds it) calls `recordAuthorizationChange` in its transaction. As the last step before the
 * commit the one row of `authz_epoch` is locked and counted up, and what changed is written beside it. A reader (the gateway) asks
 * `readAuthorizationVersion` with the epoch it knows, after the request it wants to judge has arrived, and forgets what is named.
 *
 * Guarantees. The count and the change commit together or not at all. The row's lock is held until the commit, so epochs are
 * gapless and in the order of the commits: whoever reads epoch n sees every change up to n, and none that is not counted. Hence:
 * a change that was answered before a read began is in that read. The broker is no part of it.
 * - The lock comes last, and once: every change of power in the service waits for it, so it is held for one statement and the
 *   commit; and since nothing is waited for while it is held, it is in no deadlock.
 * - A reader detects a gap itself: each epoch left a row, so a missing one means "forget everything". The purge may take whatever
 *   it likes from the old end, whole epochs only, and never touches the row that everybody locks.
 * - The incarnation changes when the server restarts (a restored or promoted one has), and with the database; an epoch counted by
 *   another history is never taken for ours. A server in recovery is not asked: it answers late.
 *
 * Not promised: to notice rows edited by hand (`UPDATE authz_epoch SET incarnation = gen_random_uuid()` after doing so), nor a
 * former primary that was cut off and goes on answering; fence it.
 */
export const epochModels = `model AuthzEpoch {
  id          Int    @id @default(1)
  incarnation String @default(dbgenerated("gen_random_uuid()")) @db.Uuid
  epoch       BigInt @default(0)

  @@map("authz_epoch")
}

model AuthzInvalidation {
  epoch      BigInt
  kind       String
  id         String   @db.Uuid
  recordedAt DateTime @map("recorded_at") @db.Timestamptz(3)

  @@id([epoch, kind, id])
  @@index([recordedAt])
  @@map("authz_invalidations")
}`

/** The end of the migration that makes these tables: there is one row, and never another. */
export const epochRow = `ALTER TABLE "authz_epoch" ADD CONSTRAINT "authz_epoch_one_row" CHECK ("id" = 1);
INSERT INTO "authz_epoch" ("id") VALUES (1);`

/** How many things one answer names, and one transaction records. Beyond, everything is forgotten. */
const namedMax = 1000
/** A reader that has not asked for so long, or missed so many changes, forgets everything. */
const kept = { minutes: 15, epochs: 100_000 } as const

interface Change {
  readonly kind: InvalidationKind
  readonly id: string
}

const changes = new WeakMap<SqlTx, Change[]>()

/** Moves the epoch when `tx` commits, naming what changed. Writes nothing yet; may be called several times, and moves it once. */
export function recordAuthorizationChange(tx: SqlTx, kind: InvalidationKind, ids: readonly string[]): void {
  let recorded = changes.get(tx)
  if (recorded === undefined) {
    const fresh: Change[] = []
    beforeCommit(tx, () => moveEpoch(tx, fresh))
    changes.set(tx, fresh)
    recorded = fresh
  }
  for (const id of ids) recorded.push({ kind, id })
}

const moveSql = `
  WITH moved AS (
    UPDATE authz_epoch SET epoch = epoch + 1 RETURNING epoch
  ), named AS (
    INSERT INTO authz_invalidations (epoch, kind, id, recorded_at)
    SELECT DISTINCT moved.epoch, change.kind, change.id, clock_timestamp()
    FROM moved, jsonb_to_recordset($1::jsonb) AS change (kind text, id uuid)
    ON CONFLICT DO NOTHING
  )
  SELECT epoch::text FROM moved`

/** Too many to name: an epoch without a row is a gap, and a gap makes every reader forget everything. */
async function moveEpoch(tx: SqlTx, recorded: readonly Change[]): Promise<void> {
  const named = recorded.length > namedMax ? [] : recorded
  const moved = await tx.$queryRawUnsafe<unknown[]>(moveSql, JSON.stringify(named))
  if (moved.length !== 1) throw new Error('authz_epoch has no row, so nobody would learn of a change of power')
}

const readSql = `
  SELECT authz_epoch.epoch::text AS epoch,
    md5(concat_ws(' ', incarnation, extract(epoch FROM pg_postmaster_start_time()), pg_database.oid)) AS incarnation,
    (SELECT json_agg(json_build_array(later.epoch, later.kind, later.id) ORDER BY later.epoch) FROM (
      SELECT epoch, kind, id FROM authz_invalidations WHERE epoch > $1::bigint ORDER BY epoch LIMIT $2::int
    ) AS later) AS named
  FROM authz_epoch, pg_database
  WHERE datname = current_database() AND NOT pg_is_in_recovery()`

type Named = readonly [epoch: number, kind: InvalidationKind, id: string]

interface Row {
  readonly epoch: string
  readonly incarnation: string
  readonly named: readonly Named[] | null
}

/** What the epoch is read by: a transaction, or sessions kept for it (epoch-sessions.ts). */
export type VersionSessions = Pick<SqlTx, '$queryRawUnsafe'>

/** One statement, so one snapshot: the epoch, and exactly the changes that made it out of `since`. */
export async function readAuthorizationVersion(
  sql: VersionSessions,
  since: number | undefined,
): Promise<AuthorizationEpoch> {
  const [row] = await sql.$queryRawUnsafe<Row[]>(readSql, since ?? null, namedMax + 1)
  if (row === undefined) throw new Error('authz_epoch has no row, or the server is in recovery')
  const epoch = Number(row.epoch)
  const named = row.named ?? []
  const known = since !== undefined && named.length <= namedMax && isGapless(since, epoch, named)
  return {
    incarnation: row.incarnation,
    epoch,
    invalidated: known ? named.map(([, kind, id]) => ({ kind, id })) : null,
  }
}

/** Whether each epoch after `since`, up to `epoch`, left a row. */
function isGapless(since: number, epoch: number, named: readonly Named[]): boolean {
  let reached = since
  for (const [next] of named) {
    if (next > reached + 1) return false
    reached = next
  }
  return reached === epoch
}

const purgeSql = `
  DELETE FROM authz_invalidations WHERE epoch <= (
    SELECT max(epoch) FROM (
      SELECT epoch FROM authz_invalidations
      WHERE recorded_at < now() - $1::int * interval '1 minute' OR epoch <= (SELECT epoch - $2::bigint FROM authz_epoch)
      ORDER BY epoch LIMIT $3::int
    ) AS old
  )`

/** Forgets the oldest changes, whole epochs, about `rowsMax` rows at once. Returns how many rows. */
export function purgeInvalidations(tx: SqlTx, rowsMax = 10_000): Promise<number> {
  return tx.$executeRawUnsafe(purgeSql, kept.minutes, kept.epochs, rowsMax)
}

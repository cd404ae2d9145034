import type { InvalidationKind } from '@payments/contracts/endpoints/authorization-version'
import type { Statement } from './statement.ts'
import { beforeCommit, type SqlTx, type Transactions } from './transaction.ts'

/**
 * **What it does.** Counts the authorization changes of a service, so that a reader with a cache learns what to
 * invalidate. gateway/src/authorization/lease.ts is the reader.
 *
 * **Guarantees.** Epochs are gapless and in commit order, and an epoch of another history never counts. README.md has
 * the proof.
 *
 * **Not guaranteed.** Rows edited by hand, a restored dump, a previous primary and a lost commit (README.md).
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

/** The one row, which the migration that creates these tables inserts. */
export const epochRow = 'INSERT INTO authz_epoch (id) VALUES (1);'

/** Maximum ids that a response names and a transaction records. Above, readers invalidate everything. */
export const namedMax = 1000
/** A reader that is further behind invalidates everything. */
const retention = { minutes: 15, epochs: 100_000 } as const

interface Change {
  readonly kind: InvalidationKind
  readonly id: string
}

const changes = new WeakMap<SqlTx, Change[]>()

/**
 * Increments the epoch when `tx` commits, and names what changed. Several calls in one transaction increment it once.
 */
export function recordAuthorizationChange(tx: SqlTx, kind: InvalidationKind, ids: readonly string[]): void {
  let recorded = changes.get(tx)
  if (recorded === undefined) {
    const created: Change[] = []
    beforeCommit(tx, () => incrementEpoch(tx, created))
    changes.set(tx, created)
    recorded = created
  }
  for (const id of ids) recorded.push({ kind, id })
}

const incrementSql = `
  WITH incremented AS (
    UPDATE authz_epoch SET epoch = epoch + 1 RETURNING epoch
  ), named AS (
    INSERT INTO authz_invalidations (epoch, kind, id, recorded_at)
    SELECT DISTINCT incremented.epoch, change.kind, change.id, clock_timestamp()
    FROM incremented, jsonb_to_recordset($1::jsonb) AS change (kind text, id uuid)
    ON CONFLICT DO NOTHING
  )
  SELECT epoch::text FROM incremented`

/** Names nothing above `namedMax`: an epoch without a row is a gap, and on a gap readers invalidate everything. */
async function incrementEpoch(tx: SqlTx, recorded: readonly Change[]): Promise<void> {
  const named = recorded.length > namedMax ? [] : recorded
  const rows = await tx.$queryRawUnsafe<unknown[]>(incrementSql, JSON.stringify(named))
  if (rows.length !== 1) throw new Error('authz_epoch has no row, so no reader would learn of the change')
}

const selectRecovery: Statement = { text: 'SELECT pg_is_in_recovery() AS "isInRecovery"', values: [] }

/**
 * Runs reads that a gateway caches, in one round trip, as `pipelined`. Throws on a server in recovery: its state lags
 * behind the version that the gateway knows. The session of the reads is the one that was checked.
 */
export async function readOnPrimary<R extends readonly (readonly object[])[]>(
  db: Pick<Transactions<SqlTx>, 'pipelined'>,
  tenantId: string,
  statements: readonly Statement[],
): Promise<R> {
  const [checked, ...results] = await db.pipelined(tenantId, [selectRecovery, ...statements])
  const [server] = checked as readonly { isInRecovery: boolean }[]
  if (server?.isInRecovery !== false) throw new Error('the server is in recovery, so its state may be old')
  return results as unknown as R
}

const purgeSql = `
  DELETE FROM authz_invalidations WHERE epoch <= (
    SELECT max(epoch) FROM (
      SELECT epoch FROM authz_invalidations
      WHERE recorded_at < now() - $1::int * interval '1 minute' OR epoch <= (SELECT epoch - $2::bigint FROM authz_epoch)
      ORDER BY epoch LIMIT $3::int
    ) AS old
  )`

/** Deletes the oldest changes, whole epochs, about `rowsMax` rows. Returns the number of deleted rows. */
export function purgeInvalidations(tx: SqlTx, rowsMax = 10_000): Promise<number> {
  return tx.$executeRawUnsafe(purgeSql, retention.minutes, retention.epochs, rowsMax)
}

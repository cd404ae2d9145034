import type { Tx } from './database.ts'

/** Deletes expired sign-ins, at most `rowsMax`. Returns the number of deleted rows. */
export function purgeSignIns(tx: Tx, rowsMax = 10_000): Promise<number> {
  return tx.$executeRawUnsafe(
    `DELETE FROM sign_ins WHERE id IN
       (SELECT id FROM sign_ins WHERE expires_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    rowsMax,
  )
}

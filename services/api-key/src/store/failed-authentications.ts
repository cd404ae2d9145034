import type { Tx } from './database.ts'

export interface FailureWindow {
  readonly failures: number
  readonly endsInSeconds: number
}

/** Adds failures in one statement, so that no concurrent addition is lost. An expired window starts again. */
export async function addFailures(
  tx: Tx,
  address: string,
  failures: number,
  windowSeconds: number,
): Promise<FailureWindow> {
  const [window] = await tx.$queryRawUnsafe<[FailureWindow]>(
    `INSERT INTO failed_authentications AS f (address, failures, ends_at)
     VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
     ON CONFLICT (address) DO UPDATE SET
       failures = CASE WHEN f.ends_at <= clock_timestamp() THEN 0 ELSE LEAST(f.failures, 1000000000) END + excluded.failures,
       ends_at = CASE WHEN f.ends_at <= clock_timestamp() THEN excluded.ends_at ELSE f.ends_at END
     RETURNING failures, extract(epoch FROM ends_at - clock_timestamp())::float8 AS "endsInSeconds"`,
    address,
    failures,
    windowSeconds,
  )
  return { failures: window.failures, endsInSeconds: Math.max(0, window.endsInSeconds) }
}

/** Deletes expired windows, at most `rowsMax`. Returns the number of deleted rows. */
export function purgeFailures(tx: Tx, rowsMax = 10_000): Promise<number> {
  return tx.$executeRawUnsafe(
    `DELETE FROM failed_authentications WHERE address = ANY (ARRAY
       (SELECT address FROM failed_authentications WHERE ends_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    rowsMax,
  )
}

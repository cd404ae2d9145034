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
  const [window] = await tx.$queryRaw<[FailureWindow]>`
    INSERT INTO failed_authentications AS f (address, failures, ends_at)
    VALUES (${address}, ${failures}, clock_timestamp() + make_interval(secs => ${windowSeconds}))
    ON CONFLICT (address) DO UPDATE SET
      failures = CASE WHEN f.ends_at <= clock_timestamp() THEN 0 ELSE LEAST(f.failures, 1000000000) END + excluded.failures,
      ends_at = CASE WHEN f.ends_at <= clock_timestamp() THEN excluded.ends_at ELSE f.ends_at END
    RETURNING failures, extract(epoch FROM ends_at - clock_timestamp())::float8 AS "endsInSeconds"`
  return { failures: window.failures, endsInSeconds: Math.max(0, window.endsInSeconds) }
}

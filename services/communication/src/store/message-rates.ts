import type { Tx } from './database.ts'

export interface Rate {
  readonly key: string
  readonly max: number
  readonly perMs: number
}

/**
 * Counts one message: `max` at once, and from then on one each `perMs / max` (GCRA; the row has the only number that
 * the algorithm needs). Locks the row of the rate until the end of the transaction. Returns null, or the seconds until
 * the next message where the rate is used up.
 */
export async function takeMessage(tx: Tx, { key, max, perMs }: Rate, now: Date): Promise<number | null> {
  const intervalMs = perMs / max
  const after = (ms: number) => new Date(now.getTime() + ms)
  // A request reads its clock before it waits for the row, which one with a later clock may have changed.
  const clockSkewMs = Math.min(1_000, intervalMs / 2)
  const taken = await tx.$executeRaw`
    INSERT INTO message_rates (key, busy_until) VALUES (${key}, ${after(intervalMs)})
    ON CONFLICT (key) DO UPDATE
      SET busy_until = greatest(message_rates.busy_until, ${now}) + ${intervalMs}::float8 * interval '1 millisecond'
      WHERE message_rates.busy_until <= ${after(perMs - intervalMs + clockSkewMs)}`
  if (taken === 1) return null
  const row = await tx.messageRate.findFirst({ where: { key } })
  const waitMs = (row?.busyUntil.getTime() ?? now.getTime() + perMs) - (perMs - intervalMs) - now.getTime()
  return Math.max(1, Math.ceil(waitMs / 1_000))
}

/** Deletes at most `rowsMax` rates that are unused. */
export async function purgeMessageRates(tx: Tx, now: Date, rowsMax = 10_000): Promise<number> {
  return tx.$executeRaw`
    DELETE FROM message_rates WHERE key = ANY (ARRAY
      (SELECT key FROM message_rates WHERE busy_until < ${now} LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`
}

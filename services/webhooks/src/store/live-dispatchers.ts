import type { SqlTx } from '@payments/chassis/database/transaction'

/** The dispatchers with a lease, in the order of their ids. `rank` is the position of one of them. */
export interface Live {
  readonly total: number
  readonly rank: number
}

/** Renews the lease of a dispatcher, and deletes expired leases. Returns the live dispatchers. */
export async function renewLease(sql: SqlTx, id: string, leaseMs: number): Promise<Live> {
  const [live] = await sql.$queryRawUnsafe<[Live]>(
    `WITH renewed AS (
       INSERT INTO live_dispatchers (id, expires_at) VALUES ($1::uuid, now() + $2::int * interval '1 millisecond')
       ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at),
     expired AS (
       DELETE FROM live_dispatchers WHERE id = ANY (ARRAY
         (SELECT id FROM live_dispatchers WHERE id <> $1::uuid AND expires_at <= now() FOR UPDATE SKIP LOCKED)))
     SELECT 1 + count(*)::int AS total, count(*) FILTER (WHERE id < $1::uuid)::int AS rank
       FROM live_dispatchers WHERE id <> $1::uuid AND expires_at > now()`,
    id,
    leaseMs,
  )
  return live
}

/** Ends the lease of a dispatcher that has no attempts in flight. */
export async function endLease(sql: SqlTx, id: string): Promise<void> {
  await sql.$executeRawUnsafe(`DELETE FROM live_dispatchers WHERE id = $1::uuid`, id)
}

import sql, { raw, type Sql } from 'sql-template-tag'
import type { Caller } from '../base/caller.ts'
import { columnOf, lockName, retention, type Stored } from './idempotency.ts'

/** Idempotency-Keys (idempotency.ts) in the statement that does the work of a verb. */

/**
 * A part of a statement that has one row, and stores the key, if the caller is the first with its key or has none. Else
 * it has no row: a transaction that calls `begin` decides then. It never waits for another request with the key.
 *
 * `from`: an earlier part, which must have a row. `stored`: the response, if it is known already.
 */
export function claimKey(
  { tenantId, idempotency }: Caller,
  { reference = null, stored = null, from }: { reference?: string | null; stored?: Stored | null; from?: Sql },
): Sql {
  const source = from === undefined ? sql`` : sql`FROM ${from}`
  if (idempotency === null) return sql`SELECT 1 AS claimed ${source}`
  const { key, fingerprint } = idempotency
  const reply = stored === null ? null : columnOf(stored)
  return sql`
    INSERT INTO idempotency_keys (tenant_id, key, fingerprint, reference, reply, expires_at)
    SELECT ${tenantId}::uuid, ${key}, ${fingerprint}, ${reference}, ${reply}::jsonb, now() + ${raw(retention)} ${source}
    WHERE pg_try_advisory_xact_lock(hashtextextended(${lockName(tenantId, key)}, 0))
    ON CONFLICT (tenant_id, key) DO NOTHING RETURNING 1 AS claimed`
}

/** A statement that waits for the lock of the key, as `lockIdempotencyKey`. None without a key. */
export function lockKey({ tenantId, idempotency }: Caller): Sql[] {
  if (idempotency === null) return []
  return [sql`SELECT pg_advisory_xact_lock(hashtextextended(${lockName(tenantId, idempotency.key)}, 0))`]
}

/**
 * A part of a statement that stores the response. The transaction holds the lock of the key. `from`: as in `claimKey`.
 */
export function storeReply({ tenantId, idempotency }: Caller, stored: Stored, from: Sql): Sql {
  if (idempotency === null) return sql`SELECT 1`
  return sql`
    UPDATE idempotency_keys SET reply = ${columnOf(stored)}::jsonb FROM ${from}
    WHERE tenant_id = ${tenantId}::uuid AND key = ${idempotency.key}`
}

import sql, { raw, type Sql } from 'sql-template-tag'
import type { Caller, Idempotency } from '../base/caller.ts'
import { encodeStored, type RequestResult, retention } from './idempotency.ts'

/** Idempotency-Keys (idempotency.ts) in the statements of a verb that reads, decides, and writes what it decided. */

/** Selects the key of a request, for `decideKeyState`. No row without a key, and for one that is new. */
export function selectKey(tenantId: string, idempotency: Idempotency | null): Sql {
  const columns = sql`SELECT fingerprint, reference, reply FROM idempotency_keys`
  if (idempotency === null) return sql`${columns} WHERE false`
  return sql`${columns} WHERE tenant_id = ${tenantId}::uuid AND key = ${idempotency.key} AND expires_at >= now()`
}

export interface KeyEntry {
  readonly caller: Caller
  readonly reference: string | null
  /** The response, if it is known already. */
  readonly stored: RequestResult | null
  /** The reference of the earlier work with the key, which had no effect and is started again. */
  readonly replaced: string | null
}

/**
 * A part of a statement that has one row, and stores the key, if the request has no key, if its key is new, or if the
 * key still refers to `replaced`. Else it has no row. It waits for a statement that stores the same key, so it stands
 * behind the locks of the statement. `from`: an earlier part, which must have a row.
 */
export function storeKey({ caller, reference, stored, replaced }: KeyEntry, from: Sql): Sql {
  const { tenantId, idempotency } = caller
  if (idempotency === null) return sql`SELECT 1 FROM ${from}`
  const { key, fingerprint } = idempotency
  const reply = stored === null ? null : encodeStored(stored)
  return sql`
    INSERT INTO idempotency_keys AS stored (tenant_id, key, fingerprint, reference, reply, expires_at)
    SELECT ${tenantId}::uuid, ${key}, ${fingerprint}, ${reference}, ${reply}::jsonb, now() + ${raw(retention)}
    FROM ${from}
    ON CONFLICT (tenant_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, reference = excluded.reference,
      reply = excluded.reply, expires_at = excluded.expires_at
    WHERE stored.expires_at < now() OR (stored.reference = ${replaced} AND stored.reply IS NULL)
    RETURNING 1`
}

/** A part of a statement that stores the response, unless the key has one. `from`: as in `storeKey`. */
export function storeReply({ tenantId, idempotency }: Caller, stored: RequestResult, from: Sql): Sql {
  if (idempotency === null) return sql`SELECT 1`
  return sql`
    UPDATE idempotency_keys SET reply = ${encodeStored(stored)}::jsonb FROM ${from}
    WHERE tenant_id = ${tenantId}::uuid AND key = ${idempotency.key} AND reply IS NULL`
}

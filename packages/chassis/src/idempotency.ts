import { commonProblems, Problem, type ProblemOptions } from '@payments/contracts/problem'
import type { Caller } from './caller.ts'
import type { SqlTx, Transactions } from './transaction.ts'

/**
 * Idempotency keys. The answer is stored in the transaction that did the work, so a crash leaves either both or neither.
 *
 * - A verb of one transaction wraps it in `once`.
 * - A verb that calls a provider between two transactions uses `begin` in the first and `finish` in the second, and
 *   finds by `reference` what a request that never came back had begun.
 *
 * Refusals (a Problem thrown by the work) roll the key back: they are not remembered. Keys are kept 7 days, per tenant.
 * Not promised: that two services share a key, and that a key survives its 7 days by less than the purge's interval.
 *
 * Lock order: the key first, then the rows of the resource, in every transaction that writes the key's row. `begin` and
 * `lockKey` take the lock of the key; whoever holds that of a resource must not call them. `begin` never waits for the
 * lock: it rejects with idempotency_key_in_use. `lockKey` waits, for the transaction that records what was done under
 * the key. The row of a key is written under its lock only, or by the purge, which skips rows that are locked.
 */
const keptFor = `interval '7 days'`
const retryAfterSeconds = 1

export type Stored =
  | { kind: 'reply'; value: unknown }
  | { kind: 'problem'; code: string; status: number; title: string; options: ProblemOptions }

export type Begun =
  /** The first request with this key: do the work. */
  | { state: 'fresh' }
  /** Begun by an earlier request and not finished: the reference it left. */
  | { state: 'begun'; reference: string | null }
  | { state: 'finished'; stored: Stored }

interface Row {
  fingerprint: string
  reference: string | null
  reply: Stored | null
}

/**
 * Claims the key for this transaction, before it locks anything else. Throws idempotency_key_in_use, idempotency_key_reused.
 */
export async function begin(tx: SqlTx, caller: Caller, reference: string | null = null): Promise<Begun> {
  const { idempotency, tenantId } = caller
  if (idempotency === null) return { state: 'fresh' }
  // The transaction may be run again: what an earlier run found out about the key was rolled back with it.
  idempotency.replayed = false
  const [lock] = await tx.$queryRawUnsafe<[{ taken: boolean }]>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS taken`,
    lockName(tenantId, idempotency.key),
  )
  if (!lock.taken) throw new Problem(commonProblems.idempotency_key_in_use, { retryAfterSeconds })
  const inserted = await tx.$executeRawUnsafe(
    `INSERT INTO idempotency_keys (tenant_id, key, fingerprint, reference, expires_at)
     VALUES ($1::uuid, $2, $3, $4, now() + ${keptFor})
     ON CONFLICT (tenant_id, key) DO UPDATE
       SET fingerprint = excluded.fingerprint, reference = excluded.reference, reply = NULL, expires_at = excluded.expires_at
       WHERE idempotency_keys.expires_at < now()`,
    tenantId,
    idempotency.key,
    idempotency.fingerprint,
    reference,
  )
  if (inserted === 1) return { state: 'fresh' }
  const [row] = await tx.$queryRawUnsafe<[Row]>(
    `SELECT fingerprint, reference, reply FROM idempotency_keys WHERE tenant_id = $1::uuid AND key = $2`,
    tenantId,
    idempotency.key,
  )
  if (row.fingerprint !== idempotency.fingerprint) throw new Problem(commonProblems.idempotency_key_reused)
  if (row.reply === null) return { state: 'begun', reference: row.reference }
  idempotency.replayed = true
  return { state: 'finished', stored: row.reply }
}

/**
 * Waits for the key's lock and holds it until the end of the transaction: the first statement of a transaction that locks
 * rows of a resource and then calls `finish`, where another transaction called `begin`.
 */
export async function lockKey(tx: SqlTx, { idempotency, tenantId }: Caller): Promise<void> {
  if (idempotency === null) return
  const name = lockName(tenantId, idempotency.key)
  await tx.$executeRawUnsafe(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, name)
}

/** Keys are a tenant's own, and so are their locks. */
function lockName(tenantId: string, key: string): string {
  return `${tenantId}:${key}`
}

/** From now on the key stands for `reference`: what it stood for came to nothing, and was begun again. */
export async function refer(tx: SqlTx, caller: Caller, reference: string): Promise<void> {
  if (caller.idempotency === null) return
  await tx.$executeRawUnsafe(
    `UPDATE idempotency_keys SET reference = $3 WHERE tenant_id = $1::uuid AND key = $2`,
    caller.tenantId,
    caller.idempotency.key,
    reference,
  )
}

/** Remembers the answer. The transaction holds the key's lock, from `begin` or `lockKey`. */
export async function finish(tx: SqlTx, caller: Caller, stored: Stored): Promise<void> {
  if (caller.idempotency === null) return
  await tx.$executeRawUnsafe(
    `UPDATE idempotency_keys SET reply = $3::jsonb WHERE tenant_id = $1::uuid AND key = $2`,
    caller.tenantId,
    caller.idempotency.key,
    JSON.stringify(stored),
  )
}

/** The stored answer, given again: returned, or thrown where it was a problem. */
export function replay<R>(stored: Stored): R {
  if (stored.kind === 'problem') throw new Problem(stored, stored.options)
  return stored.value as R
}

/** How a reply with a secret rests: `remember` leaves the secret out, `recall` puts it back. */
export interface Memory<Tx, R> {
  remember(reply: R): unknown
  recall(tx: Tx, remembered: unknown): Promise<R>
}

/** Runs `work` in one transaction of the caller's tenant, once per Idempotency-Key. */
export function once<Tx extends SqlTx, R>(
  db: Transactions<Tx>,
  caller: Caller,
  work: (tx: Tx) => Promise<R>,
  memory?: Memory<Tx, R>,
): Promise<R> {
  return db.inTenant(caller.tenantId, (tx) => onceIn(tx, caller, work, memory))
}

/** As `once`, in a transaction that is open and has locked nothing yet. */
export async function onceIn<Tx extends SqlTx, R>(
  tx: Tx,
  caller: Caller,
  work: (tx: Tx) => Promise<R>,
  memory?: Memory<Tx, R>,
): Promise<R> {
  const begun = await begin(tx, caller)
  if (begun.state === 'begun') throw new Problem(commonProblems.idempotency_key_in_use, { retryAfterSeconds })
  if (begun.state === 'finished') {
    const remembered = replay(begun.stored)
    return memory === undefined ? (remembered as R) : memory.recall(tx, remembered)
  }
  const reply = await work(tx)
  await finish(tx, caller, { kind: 'reply', value: memory === undefined ? reply : memory.remember(reply) })
  return reply
}

/** Forgets keys past their time, at most `rowsMax` at once. Waits for no lock. Returns how many. */
export function purgeIdempotencyKeys(tx: SqlTx, rowsMax = 10_000): Promise<number> {
  return tx.$executeRawUnsafe(
    `DELETE FROM idempotency_keys WHERE (tenant_id, key) IN
       (SELECT tenant_id, key FROM idempotency_keys WHERE expires_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    rowsMax,
  )
}

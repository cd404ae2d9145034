import { commonProblems, Problem, type ProblemOptions } from '@payments/contracts/grammar/problem'
import type { Caller, Idempotency } from '../base/caller.ts'
import { lockForTransaction, tryLockForTransaction } from '../database/advisory-lock.ts'
import { purgeRows } from '../database/purges.ts'
import type { SqlTx, Transactions } from '../database/transaction.ts'
import { isSameRequest } from './fingerprint.ts'

/**
 * **What it does.** Stores the response of a request under its Idempotency-Key, in the transaction that does the work.
 * A repeated request gets the stored response.
 *
 * **Participants.** A verb with one transaction calls `once`. A verb that calls another service between two
 * transactions calls `begin` in the first, `finish` in the second, and finds interrupted work by `reference`. A verb
 * that writes by one statement uses idempotency-statements.ts.
 *
 * **Guarantees.**
 * - A repeated response has the bytes of the first, apart from the trace id of a problem. Thrown problems are not
 *   stored.
 * - `begin` locks the key before the rows of the resource, and never waits for another request with the key.
 *
 * **Not guaranteed.** Keys across services, or beyond 7 days.
 */
export const retention = `interval '7 days'`
const retryAfterSeconds = 1

/** The result of a request, as it can be stored under its key: a reply or a problem. */
export type RequestResult =
  | { kind: 'reply'; value: unknown }
  | { kind: 'problem'; code: string; status: number; title: string; options: ProblemOptions }

export type KeyState =
  /** The first request with this key: do the work. */
  | { state: 'new' }
  /** An earlier request began the work and did not finish it. `reference` is the reference of that request. */
  | { state: 'unfinished'; reference: string | null }
  | { state: 'completed'; stored: RequestResult }

/**
 * The column: `jsonb` sorts the members of an object, so `text` has them in the order of the response. The previous
 * release reads the other members, and stores no `text`.
 */
type StoredColumn = RequestResult & { readonly text?: string }

/** The columns of a stored key. */
export interface StoredKey {
  readonly fingerprint: string
  readonly reference: string | null
  readonly reply: StoredColumn | null
}

/** Locks the key, before the transaction locks anything else. Throws idempotency_key_in_use, idempotency_key_reused. */
export async function begin(tx: SqlTx, caller: Caller, reference: string | null = null): Promise<KeyState> {
  const { idempotency, tenantId } = caller
  if (idempotency === null) return { state: 'new' }
  const isLocked = await tryLockForTransaction(tx, lockName(tenantId, idempotency.key))
  if (!isLocked) throw keyInUse()
  const inserted = await tx.$executeRawUnsafe(
    `INSERT INTO idempotency_keys (tenant_id, key, fingerprint, reference, expires_at)
     VALUES ($1::uuid, $2, $3, $4, now() + ${retention})
     ON CONFLICT (tenant_id, key) DO UPDATE
       SET fingerprint = excluded.fingerprint, reference = excluded.reference, reply = NULL, expires_at = excluded.expires_at
       WHERE idempotency_keys.expires_at < now()`,
    tenantId,
    idempotency.key,
    idempotency.fingerprint,
    reference,
  )
  if (inserted === 1) return decideKeyState(idempotency, undefined)
  const [stored] = await tx.$queryRawUnsafe<[StoredKey]>(
    `SELECT fingerprint, reference, reply FROM idempotency_keys WHERE tenant_id = $1::uuid AND key = $2`,
    tenantId,
    idempotency.key,
  )
  return decideKeyState(idempotency, stored)
}

/** The state of a request by its stored key. Undefined: the key is new. Throws idempotency_key_reused. */
export function decideKeyState(idempotency: Idempotency, stored: StoredKey | undefined): KeyState {
  // The work may run again, so the flag of the previous run is reset.
  idempotency.replayed = false
  if (stored === undefined) return { state: 'new' }
  const { fingerprint, reference, reply } = stored
  if (!isSameRequest(fingerprint, idempotency.fingerprint)) throw new Problem(commonProblems.idempotency_key_reused)
  if (reply === null) return { state: 'unfinished', reference }
  idempotency.replayed = true
  return { state: 'completed', stored: decodeStored(reply) }
}

/** The work of another request with the key is in progress. */
export function keyInUse(): Problem {
  return new Problem(commonProblems.idempotency_key_in_use, { retryAfterSeconds })
}

/** The value of the column `reply`. */
export function encodeStored(stored: RequestResult): string {
  return JSON.stringify({ ...stored, text: JSON.stringify(stored) })
}

function decodeStored({ text, ...stored }: StoredColumn): RequestResult {
  return text === undefined ? stored : (JSON.parse(text) as RequestResult)
}

/**
 * Waits for the lock of the key, and holds it until the end of the transaction. The first statement of a transaction
 * that calls `finish` for a key that another transaction began.
 */
export async function lockIdempotencyKey(tx: SqlTx, { idempotency, tenantId }: Caller): Promise<void> {
  if (idempotency === null) return
  await lockForTransaction(tx, lockName(tenantId, idempotency.key))
}

/** Each tenant has its own keys, and so its own locks. */
function lockName(tenantId: string, key: string): string {
  return `${tenantId}:${key}`
}

/** Replaces the reference of the key, after the previous work had no effect and was started again. */
export async function rebind(tx: SqlTx, caller: Caller, reference: string): Promise<void> {
  if (caller.idempotency === null) return
  await tx.$executeRawUnsafe(
    `UPDATE idempotency_keys SET reference = $3 WHERE tenant_id = $1::uuid AND key = $2`,
    caller.tenantId,
    caller.idempotency.key,
    reference,
  )
}

/** Stores the response. The transaction holds the lock of the key, from `begin` or `lockIdempotencyKey`. */
export async function finish(tx: SqlTx, caller: Caller, stored: RequestResult): Promise<void> {
  if (caller.idempotency === null) return
  await tx.$executeRawUnsafe(
    `UPDATE idempotency_keys SET reply = $3::jsonb WHERE tenant_id = $1::uuid AND key = $2`,
    caller.tenantId,
    caller.idempotency.key,
    encodeStored(stored),
  )
}

/** Returns the reply, or throws the problem. */
export function unwrapResult<R>(stored: RequestResult): R {
  if (stored.kind === 'problem') throw new Problem(stored, stored.options)
  return stored.value as R
}

/** Stores a reply without its secret: `redact` removes the secret, `restore` adds it again. */
export interface ReplyRedaction<Tx, R> {
  redact(reply: R): unknown
  restore(tx: Tx, redacted: unknown): Promise<R>
}

/** Runs `work` in one transaction of the caller's tenant, once per Idempotency-Key. */
export function once<Tx extends SqlTx, R>(
  db: Transactions<Tx>,
  caller: Caller,
  work: (tx: Tx) => Promise<R>,
  redaction?: ReplyRedaction<Tx, R>,
): Promise<R> {
  return db.inTenant(caller.tenantId, (tx) => onceIn(tx, caller, work, redaction))
}

/** As `once`, in an open transaction that has locked nothing yet. */
export async function onceIn<Tx extends SqlTx, R>(
  tx: Tx,
  caller: Caller,
  work: (tx: Tx) => Promise<R>,
  redaction?: ReplyRedaction<Tx, R>,
): Promise<R> {
  const key = await begin(tx, caller)
  if (key.state === 'unfinished') throw keyInUse()
  if (key.state === 'completed') {
    const stored = unwrapResult(key.stored)
    return redaction === undefined ? (stored as R) : redaction.restore(tx, stored)
  }
  const reply = await work(tx)
  await finish(tx, caller, { kind: 'reply', value: redaction === undefined ? reply : redaction.redact(reply) })
  return reply
}

/** Deletes expired keys. */
export const purgeIdempotencyKeys = purgeRows('idempotency_keys', 'ctid', 'expires_at < now()')

import type { SqlTx } from '@payments/chassis/database/transaction'
import { nextDueAt } from '@payments/chassis/database/waiting-tenants'
import type { CodeFacts } from '../domain/code.ts'
import { firstRecoveryMs } from '../domain/code-state.ts'
import { Prisma } from '../generated/client.ts'
import { toCode } from './codes.ts'
import type { Tx } from './database.ts'

/** Payments that may begin in a minute. */
const paymentsPerMinute = 5

interface PaymentStart {
  readonly codeHash: Uint8Array
  readonly version: number
  readonly paymentId: string
  readonly payerLocale: string
  readonly payerTimeZone: string | null
}

/**
 * Takes an active code for one payment, by one atomic statement: the code has the version that the payer saw, is not
 * expired by the clock of the database, and has payments left in this minute. Null, and nothing is changed, otherwise.
 * A statement that waited for the row decides on the row and the clock after its wait. The clock that decides is read
 * before the one that is stored, so no code is taken after its end.
 */
export async function takeForPayment(tx: Tx, start: PaymentStart): Promise<CodeFacts | null> {
  const { codeHash, version, paymentId, payerLocale, payerTimeZone } = start
  const rows = await tx.$queryRaw<{ id: string }[]>`
    UPDATE codes SET status = 'processing', payment_id = ${paymentId}::uuid,
      claimed_at = least(clock_timestamp(), expires_at),
      payer_locale = ${payerLocale}, payer_time_zone = ${payerTimeZone},
      recover_at = clock_timestamp() + ${firstRecoveryMs} * interval '1 millisecond', recover_count = 0,
      window_started_at = CASE WHEN window_started_at > clock_timestamp() - interval '1 minute'
        THEN window_started_at ELSE clock_timestamp() END,
      window_count = CASE WHEN window_started_at > clock_timestamp() - interval '1 minute'
        THEN window_count + 1 ELSE 1 END,
      version = version + 1, updated_at = clock_timestamp()
    WHERE code_hash = ${codeHash} AND status = 'active' AND version = ${version}
      AND expires_at > clock_timestamp()
      AND (window_started_at IS NULL OR window_started_at <= clock_timestamp() - interval '1 minute'
        OR window_count < ${paymentsPerMinute})
    RETURNING id::text AS id`
  const [code] = await byIds(tx, rows)
  return code ?? null
}

/** Whether the code has no payment left in this minute. */
export async function isRateLimited(tx: Tx, codeHash: Uint8Array): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM codes WHERE code_hash = ${codeHash} AND window_count >= ${paymentsPerMinute}
      AND window_started_at > clock_timestamp() - interval '1 minute'`
  return rows.length > 0
}

/** Requests of one payment for its outcome, after returns of the payer. */
const syncIntervalMs = 2_000

/** Whether the outcome of the payment may be requested now. Concurrent returns of a payer request it once. */
export async function reserveSync(tx: Tx, tenantId: string, { id, paymentId }: PaymentOfCode): Promise<boolean> {
  const count = await tx.$executeRaw`
    UPDATE codes SET confirmation_synced_at = clock_timestamp()
    WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid AND payment_id = ${paymentId}::uuid
      AND (confirmation_synced_at IS NULL
        OR confirmation_synced_at <= clock_timestamp() - ${syncIntervalMs} * interval '1 millisecond')`
  return count === 1
}

type PaymentOfCode = Pick<CodeFacts, 'id' | 'paymentId'>

/** The rows that a statement over all tenants may take: at most `limit`, and none of the tenants `except`. */
export interface Batch {
  readonly limit: number
  readonly except: readonly string[]
}

/** SQL: active codes whose business unit or payment orchestrator is deleted. Each half is found by indexes. */
const orphanedSql = `
  SELECT codes.id FROM business_unit_copies AS unit
    JOIN codes ON codes.business_unit_id = unit.business_unit_id AND codes.tenant_id = unit.tenant_id
  WHERE unit.business_unit->>'status' = 'deleted' AND codes.status = 'active'
  UNION ALL
  SELECT codes.id FROM business_unit_copies AS unit
    CROSS JOIN LATERAL jsonb_to_recordset(unit.payment_orchestrators) AS orchestrator(id uuid, status text)
    JOIN codes ON codes.payment_orchestrator_id = orchestrator.id AND codes.tenant_id = unit.tenant_id
  WHERE unit.payment_orchestrators @> '[{"status": "deleted"}]' AND orchestrator.status = 'deleted'
    AND codes.status = 'active'`

const selectNext = (first: string) => (sql: SqlTx) => nextDueAt(sql, `(${first})`)

/** When the next code is due, by job (`nextDueAt`). Each is one probe of an index, except for deleted units. */
export const nextCodes = {
  expire: selectNext(`SELECT min(expires_at) FROM codes WHERE status = 'active'`),
  recover: selectNext('SELECT min(recover_at) FROM codes WHERE recover_at IS NOT NULL'),
  remind: selectNext(`SELECT min(remind_due_at) FROM codes WHERE status = 'active' AND remind_due_at IS NOT NULL`),
  cancelOrphaned: selectNext(`SELECT 'epoch'::timestamptz FROM (${orphanedSql}) AS orphaned LIMIT 1`),
} as const

/** Locks active codes that have expired. Skips locked ones. */
export async function lockExpired(tx: Tx, { limit, except }: Batch): Promise<CodeFacts[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT id::text AS id FROM codes
    WHERE status = 'active' AND expires_at <= clock_timestamp() AND tenant_id <> ALL(${except}::uuid[])
    ORDER BY expires_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED`
  return byIds(tx, rows)
}

/** Locks active codes of deleted business units and payment orchestrators. Skips locked ones. */
export async function lockOrphaned(tx: Tx, { limit, except }: Batch): Promise<CodeFacts[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT id::text AS id FROM codes
    WHERE id IN (${Prisma.raw(orphanedSql)}) AND status = 'active' AND tenant_id <> ALL(${except}::uuid[])
    ORDER BY codes.id LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED`
  return byIds(tx, rows)
}

/**
 * Decides the reminders that are due, and returns the codes to be reminded of. An invitation that is not queued
 * yet, or was queued after the reminder became due, takes its place. Skips locked codes.
 */
export async function takeReminders(
  tx: Tx,
  { limit, except }: Batch,
): Promise<{ readonly taken: CodeFacts[]; readonly reminded: CodeFacts[] }> {
  const rows = await tx.$queryRaw<{ id: string; isReminded: boolean }[]>`
    WITH due AS
      (SELECT id, remind_due_at FROM codes WHERE status = 'active' AND remind_due_at <= clock_timestamp()
         AND expires_at > clock_timestamp() AND tenant_id <> ALL(${except}::uuid[])
       ORDER BY remind_due_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE codes SET remind_due_at = NULL FROM due WHERE codes.id = due.id
    RETURNING codes.id::text AS id,
      (last_sent_at IS NULL OR last_sent_at <= due.remind_due_at) AND NOT EXISTS
        (SELECT 1 FROM messages WHERE messages.tenant_id = codes.tenant_id AND code_id = codes.id
           AND kind = 'invitation' AND due_at IS NOT NULL) AS "isReminded"`
  const taken = await byIds(tx, rows)
  const reminded = new Set(rows.filter(({ isReminded }) => isReminded).map(({ id }) => id))
  return { taken, reminded: taken.filter(({ id }) => reminded.has(id)) }
}

/** Claims codes whose transaction is to be read, until `leaseMs` have passed. Skips locked ones. */
export async function claimUnrecorded(tx: Tx, { limit, except }: Batch, leaseMs: number): Promise<CodeFacts[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    UPDATE codes SET recover_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond' WHERE id = ANY (ARRAY
      (SELECT id FROM codes WHERE recover_at <= clock_timestamp() AND tenant_id <> ALL(${except}::uuid[])
       ORDER BY recover_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED))
    RETURNING id::text AS id`
  return byIds(tx, rows)
}

/** Sets the time of the next read of a payment that is still open. A code without a payment is read no more. */
export async function postponeRecovery(
  tx: Tx,
  tenantId: string,
  { id, paymentId }: PaymentOfCode,
  delayMs: number,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE codes SET recover_count = recover_count + 1,
      recover_at = CASE WHEN payment_id IS NULL THEN NULL
        ELSE clock_timestamp() + ${delayMs} * interval '1 millisecond' END
    WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid AND payment_id IS NOT DISTINCT FROM ${paymentId}::uuid`
}

async function byIds(tx: Tx, rows: readonly { id: string }[]): Promise<CodeFacts[]> {
  if (rows.length === 0) return []
  const found = await tx.code.findMany({ where: { id: { in: rows.map(({ id }) => id) } }, orderBy: { id: 'asc' } })
  return found.map(toCode)
}

import type { SqlTx } from '@payments/chassis/database/transaction'
import { nextDueAt } from '@payments/chassis/database/waiting-tenants'
import type { AuditVerificationModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

export type VerificationRow = AuditVerificationModel

/** The next range to verify: of the chain that has waited longest, until `leasedUntil` no other process takes it. */
export async function claim(tx: Tx, now: Date, leasedUntil: Date): Promise<VerificationRow | undefined> {
  const [row] = await tx.$queryRaw<VerificationRow[]>`
    UPDATE audit_verifications SET due_at = ${leasedUntil} WHERE tenant_id = (
      SELECT tenant_id FROM audit_verifications WHERE due_at <= ${now}
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING tenant_id::text AS "tenantId", sequence, findings`
  return row
}

const neverVerified = `sealed_sequence > 0
  AND NOT EXISTS (SELECT FROM audit_verifications v WHERE v.tenant_id = audit_chains.tenant_id)`

/** When the next range is due (`nextDueAt`): at once when a chain was never verified. */
export const nextVerification = (sql: SqlTx, now: Date): Promise<number | null> =>
  nextDueAt(
    sql,
    `least((SELECT min(due_at) FROM audit_verifications),
       (SELECT 'epoch'::timestamptz FROM audit_chains WHERE ${neverVerified} LIMIT 1))`,
    now,
  )

/** Adds at most `chainsMax` chains that were never verified. */
export async function addChains(tx: Tx, now: Date, chainsMax: number): Promise<void> {
  await tx.$executeRawUnsafe(
    `INSERT INTO audit_verifications (tenant_id, due_at)
     SELECT tenant_id, $1::timestamptz FROM audit_chains WHERE ${neverVerified} ORDER BY tenant_id LIMIT $2::int
     ON CONFLICT DO NOTHING`,
    now,
    chainsMax,
  )
}

export function find(tx: Tx, tenantId: string): Promise<VerificationRow | null> {
  return tx.auditVerification.findFirst({ where: { tenantId } })
}

export async function update(tx: Tx, tenantId: string, fields: Partial<VerificationRow>): Promise<void> {
  await tx.auditVerification.updateMany({ where: { tenantId }, data: fields })
}

import type { AuditSealModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

export type SealRow = AuditSealModel

export async function insertSeal(tx: Tx, tenantId: string, seal: Omit<SealRow, 'tenantId'>): Promise<void> {
  await tx.auditSeal.create({ data: { ...seal, tenantId } })
}

export function findSeal(tx: Tx, tenantId: string, sequence: bigint): Promise<SealRow | null> {
  return tx.auditSeal.findFirst({ where: { tenantId, sequence } })
}

export function readSeals(tx: Tx, tenantId: string, afterSequence: number, sealsMax: number): Promise<SealRow[]> {
  return tx.auditSeal.findMany({
    where: { tenantId, sequence: { gt: afterSequence } },
    orderBy: { sequence: 'asc' },
    take: sealsMax,
  })
}

/** The newest seal of each chain, by tenant, descending; one more than `limit`. */
export function listNewestSeals(tx: Tx, tenantBefore: string | undefined, limit: number): Promise<SealRow[]> {
  return tx.$queryRaw<SealRow[]>`
    SELECT s.tenant_id::text AS "tenantId", s.version, s.key_id AS "keyId", s.sequence,
           s.from_position AS "fromPosition", s.to_position AS "toPosition",
           s.stored_on AS "storedOn", s.digest, s.previous_hash AS "previousHash", s.hash, s.sealed_at AS "sealedAt"
    FROM audit_chains c JOIN audit_seals s ON s.tenant_id = c.tenant_id AND s.sequence = c.sealed_sequence
    WHERE ${tenantBefore ?? null}::uuid IS NULL OR c.tenant_id < ${tenantBefore ?? null}::uuid
    ORDER BY c.tenant_id DESC LIMIT ${limit + 1}`
}

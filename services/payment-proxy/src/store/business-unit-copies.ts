import type { Tx } from './database.ts'

/** The owner of a payment orchestrator. Null without a copy of its business unit. */
export async function findOrchestratorOwner(
  tx: Tx,
  paymentOrchestratorId: string,
): Promise<{ tenantId: string; businessUnitId: string } | null> {
  const [owner] = await tx.$queryRaw<{ tenantId: string; businessUnitId: string }[]>`
    SELECT tenant_id::text AS "tenantId", business_unit_id::text AS "businessUnitId" FROM business_unit_copies
    WHERE jsonb_path_query_array(payment_orchestrators, '$[*].id') @> to_jsonb(${paymentOrchestratorId}::text) LIMIT 1`
  return owner ?? null
}

/** The tenant of a business unit. Null without a copy. */
export async function findUnitOwner(tx: Tx, businessUnitId: string): Promise<string | null> {
  const [owner] = await tx.$queryRaw<{ tenantId: string }[]>`
    SELECT tenant_id::text AS "tenantId" FROM business_unit_copies WHERE business_unit_id = ${businessUnitId}::uuid`
  return owner?.tenantId ?? null
}

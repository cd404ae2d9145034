import type { Statement } from '@payments/chassis/database/statement'
import type { SqlTx } from '@payments/chassis/database/transaction'
import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import type { UnitCopy } from '@payments/contracts/services/business-unit/unit-copy'

/**
 * The table of the copies, identical in each schema.prisma. It has row-level security. The migration of
 * services/webhooks shows its policy and its checks.
 */
export const businessUnitCopyModel = `model BusinessUnitCopy {
  businessUnitId       String @id @map("business_unit_id") @db.Uuid
  tenantId             String @map("tenant_id") @db.Uuid
  businessUnit         Json   @map("business_unit")
  paymentOrchestrators Json   @map("payment_orchestrators")

  @@map("business_unit_copies")
}`

export type ChangedRecords = Pick<UnitCopy, 'paymentOrchestrators'> & Partial<Pick<UnitCopy, 'businessUnit'>>

const selectRow = `SELECT tenant_id AS "tenantId", business_unit AS "businessUnit", payment_orchestrators AS "paymentOrchestrators"
  FROM business_unit_copies
  WHERE tenant_id = $1::uuid AND business_unit_id = $2::uuid`

/** A statement whose row is a `UnitCopy`. Each payment runs it. */
export function selectCopy(tenantId: string, businessUnitId: string): Statement {
  return { text: selectRow, values: [tenantId, businessUnitId] }
}

/** Stores the copy, or merges it into the stored one. Returns the stored copy. */
export async function storeCopy(tx: SqlTx, copy: UnitCopy): Promise<UnitCopy> {
  const { tenantId, businessUnit, paymentOrchestrators } = copy
  const inserted = await tx.$executeRawUnsafe(
    `INSERT INTO business_unit_copies (business_unit_id, tenant_id, business_unit, payment_orchestrators)
     VALUES ($1::uuid, $2::uuid, $3::jsonb, $4::jsonb)
     ON CONFLICT (business_unit_id) DO NOTHING`,
    businessUnit.id,
    tenantId,
    JSON.stringify(businessUnit),
    JSON.stringify(paymentOrchestrators),
  )
  if (inserted === 1) return copy
  const merged = await mergeIntoCopy(tx, tenantId, businessUnit.id, copy)
  if (merged === null) throw new Error(`business unit ${businessUnit.id} has a copy of another tenant`)
  return merged
}

/**
 * Replaces each record of the copy by the given one with a higher version, under the lock of the row. Returns the
 * stored copy, or null without a copy.
 */
export async function mergeIntoCopy(
  tx: SqlTx,
  tenantId: string,
  businessUnitId: string,
  changed: ChangedRecords,
): Promise<UnitCopy | null> {
  const [row] = await tx.$queryRawUnsafe<UnitCopy[]>(`${selectRow} FOR UPDATE`, tenantId, businessUnitId)
  if (row === undefined) return null
  const businessUnit = pickLater(row.businessUnit, changed.businessUnit)
  const paymentOrchestrators = mergeById(row.paymentOrchestrators, changed.paymentOrchestrators)
  await tx.$executeRawUnsafe(
    `UPDATE business_unit_copies SET business_unit = $3::jsonb, payment_orchestrators = $4::jsonb
     WHERE tenant_id = $1::uuid AND business_unit_id = $2::uuid`,
    tenantId,
    businessUnitId,
    JSON.stringify(businessUnit),
    JSON.stringify(paymentOrchestrators),
  )
  return { tenantId, businessUnit, paymentOrchestrators }
}

function mergeById(
  stored: readonly PaymentOrchestrator[],
  changed: readonly PaymentOrchestrator[],
): PaymentOrchestrator[] {
  const byId = new Map(stored.map((one) => [one.id, one]))
  for (const one of changed) byId.set(one.id, pickLater(one, byId.get(one.id)))
  return [...byId.values()]
}

function pickLater<R extends { readonly version: number }>(one: R, other: R | undefined): R {
  return other === undefined || one.version >= other.version ? one : other
}

import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import { definedMembers } from '@payments/contracts/grammar/defined-members'
import { nameKey } from '@payments/contracts/grammar/name'
import type { BusinessUnitDraft, BusinessUnitFacts } from '../domain/business-unit.ts'
import type { BusinessUnitModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

/** Serializes transactions that count the units of a tenant or give one a name. */
export async function lockBusinessUnits(tx: Tx, tenantId: string): Promise<void> {
  await lockForTransaction(tx, `business_units:${tenantId}`)
}

export function countActive(tx: Tx, tenantId: string): Promise<number> {
  return tx.businessUnit.count({ where: { tenantId, status: 'active' } })
}

/** Whether an active unit other than `businessUnitId` has the name, or a name of the same name key. */
export async function isNameTaken(tx: Tx, tenantId: string, name: string, businessUnitId: string): Promise<boolean> {
  const where = { tenantId, status: 'active' as const, nameKey: nameKey(name), id: { not: businessUnitId } }
  return (await tx.businessUnit.findFirst({ where, select: { id: true } })) !== null
}

/** Undefined when a unit has this id, which another tenant may own. The caller has checked the name. */
export async function insert(
  tx: Tx,
  tenantId: string,
  id: string,
  fields: BusinessUnitDraft,
): Promise<BusinessUnitFacts | undefined> {
  const data = { ...fields, id, tenantId, nameKey: nameKey(fields.name) }
  const [row] = await tx.businessUnit.createManyAndReturn({ data: [data], skipDuplicates: true })
  return row && toFacts(row)
}

export async function find(tx: Tx, tenantId: string, businessUnitId: string): Promise<BusinessUnitFacts | null> {
  const row = await tx.businessUnit.findFirst({ where: { tenantId, id: businessUnitId } })
  return row && toFacts(row)
}

/** As `find`. Concurrent changes of the unit and of its payment orchestrators wait until this transaction ends. */
export async function lock(tx: Tx, tenantId: string, businessUnitId: string): Promise<BusinessUnitFacts | null> {
  const sql = 'SELECT 1 FROM business_units WHERE tenant_id = $1::uuid AND id = $2::uuid FOR NO KEY UPDATE'
  await tx.$queryRawUnsafe(sql, tenantId, businessUnitId)
  return find(tx, tenantId, businessUnitId)
}

/** Newest first; one more than `limit`. */
export async function list(
  tx: Tx,
  tenantId: string,
  query: { status: BusinessUnitFacts['status'] | undefined; before: string | undefined; limit: number },
): Promise<BusinessUnitFacts[]> {
  const { status, before, limit } = query
  const rows = await tx.businessUnit.findMany({
    where: { tenantId, id: definedMembers({ lt: before }), ...definedMembers({ status }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  return rows.map(toFacts)
}

/** The caller has locked the unit. */
export async function update(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  change: Partial<BusinessUnitDraft>,
): Promise<BusinessUnitFacts> {
  const { name } = change
  const row = await tx.businessUnit.update({
    where: { tenantId, id: businessUnitId },
    data: { ...change, ...(name === undefined ? {} : { nameKey: nameKey(name) }), version: { increment: 1 } },
  })
  return toFacts(row)
}

/** The caller has locked the unit. */
export async function markDeleted(tx: Tx, tenantId: string, businessUnitId: string): Promise<BusinessUnitFacts> {
  const row = await tx.businessUnit.update({
    where: { tenantId, id: businessUnitId },
    data: { status: 'deleted', version: { increment: 1 } },
  })
  return toFacts(row)
}

const toFacts = ({ branding, communication, ...row }: BusinessUnitModel): BusinessUnitFacts => ({
  ...row,
  branding: branding as BusinessUnitFacts['branding'],
  communication: communication as BusinessUnitFacts['communication'],
})

import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import { nameKey } from '@payments/contracts/grammar/name'
import type { BusinessUnitChange, BusinessUnitFields } from '../domain/business-unit.ts'
import type { BusinessUnitModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

export type BusinessUnitRow = BusinessUnitModel

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
  fields: BusinessUnitFields,
): Promise<BusinessUnitRow | undefined> {
  const { name, timezone_name: timezoneName, default_currency: defaultCurrency, branding, communication } = fields
  const data = { id, tenantId, name, nameKey: nameKey(name), timezoneName, defaultCurrency, branding, communication }
  const [row] = await tx.businessUnit.createManyAndReturn({ data: [data], skipDuplicates: true })
  return row
}

export function find(tx: Tx, tenantId: string, businessUnitId: string): Promise<BusinessUnitRow | null> {
  return tx.businessUnit.findFirst({ where: { tenantId, id: businessUnitId } })
}

/** As `find`. Concurrent changes of the unit and of its payment orchestrators wait until this transaction ends. */
export async function lock(tx: Tx, tenantId: string, businessUnitId: string): Promise<BusinessUnitRow | null> {
  const sql = 'SELECT 1 FROM business_units WHERE tenant_id = $1::uuid AND id = $2::uuid FOR NO KEY UPDATE'
  await tx.$queryRawUnsafe(sql, tenantId, businessUnitId)
  return find(tx, tenantId, businessUnitId)
}

/** Newest first; one row more than `limit` indicates a next page. */
export function list(
  tx: Tx,
  tenantId: string,
  query: { status: BusinessUnitRow['status'] | undefined; before: string | undefined; limit: number },
): Promise<BusinessUnitRow[]> {
  const { status, before, limit } = query
  return tx.businessUnit.findMany({
    where: {
      tenantId,
      ...(status === undefined ? {} : { status }),
      ...(before === undefined ? {} : { id: { lt: before } }),
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
}

/** The caller has locked the unit. */
export function update(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  change: BusinessUnitChange,
): Promise<BusinessUnitRow> {
  const { name, timezone_name: timezoneName, default_currency: defaultCurrency, branding, communication } = change
  return tx.businessUnit.update({
    where: { tenantId, id: businessUnitId },
    data: {
      ...(name === undefined ? {} : { name, nameKey: nameKey(name) }),
      ...(timezoneName === undefined ? {} : { timezoneName }),
      ...(defaultCurrency === undefined ? {} : { defaultCurrency }),
      ...(branding === undefined ? {} : { branding }),
      ...(communication === undefined ? {} : { communication }),
      version: { increment: 1 },
    },
  })
}

/** The caller has locked the unit. */
export function markDeleted(tx: Tx, tenantId: string, businessUnitId: string): Promise<BusinessUnitRow> {
  return tx.businessUnit.update({
    where: { tenantId, id: businessUnitId },
    data: { status: 'deleted', version: { increment: 1 } },
  })
}

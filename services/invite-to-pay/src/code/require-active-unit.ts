import type { UnitCopy } from '@payments/business-unit-copies/copy-row'
import type { Deps } from '../deps.ts'
import { notActive } from '../domain/changes.ts'
import type { CodeFacts } from '../domain/code.ts'

/**
 * The business unit of a code. A code of a deleted one is canceled, also before the job has recorded it. Throws
 * code_not_active.
 */
export async function requireActiveUnit(
  { businessUnits }: Pick<Deps, 'businessUnits'>,
  { tenantId, businessUnitId }: CodeFacts,
  traceId: string,
): Promise<UnitCopy> {
  const unit = await businessUnits.find({ tenantId, traceId }, businessUnitId)
  if (unit.businessUnit.status === 'deleted') throw notActive('canceled')
  return unit
}

import type { UnitCopy } from '@payments/contracts/services/business-unit/unit-copy'
import type { Deps } from '../deps.ts'
import { notActive } from '../domain/changes.ts'
import type { CodeFacts } from '../domain/code.ts'
import { isOrphaned } from '../domain/entry.ts'

/**
 * Returns the business unit of a code. A code whose unit or payment orchestrator is deleted is canceled, also before
 * the job has recorded it. Throws code_not_active.
 */
export async function requireNotOrphaned(
  { businessUnits }: Pick<Deps, 'businessUnits'>,
  code: CodeFacts,
  traceId: string,
): Promise<UnitCopy> {
  const unit = await businessUnits.find({ tenantId: code.tenantId, traceId }, code.businessUnitId)
  if (isOrphaned(code, unit)) throw notActive('canceled')
  return unit
}

import type { Deps } from '../deps.ts'
import { notActive } from '../domain/changes.ts'
import type { CodeFacts } from '../domain/code.ts'

/** A code of a deleted business unit is canceled, also before the job has recorded it. Throws code_not_active. */
export async function requireActiveUnit(
  { businessUnits }: Pick<Deps, 'businessUnits'>,
  { tenantId, businessUnitId }: CodeFacts,
  traceId: string,
): Promise<void> {
  const { businessUnit } = await businessUnits.find({ tenantId, traceId }, businessUnitId)
  if (businessUnit.status === 'deleted') throw notActive('canceled')
}

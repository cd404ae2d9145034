import { Problem } from '@payments/contracts/grammar/problem'
import { sandboxOrchestratorId } from '@payments/contracts/nouns/sandbox-orchestrator'
import { businessUnitsMax, type FoundUnit, problems } from '@payments/contracts/services/business-unit/contract'
import { emitBusinessUnit, emitPaymentOrchestrator, type Origin } from '../changes/emit-events.ts'
import type { Deps } from '../deps.ts'
import { type BusinessUnitFacts, presentBusinessUnit, provisionedUnit } from '../domain/business-unit.ts'
import { presentPaymentOrchestrator, provisionedSandbox } from '../domain/payment-orchestrator.ts'
import * as units from '../store/business-units.ts'
import type { Tx } from '../store/database.ts'
import * as orchestrators from '../store/payment-orchestrators.ts'

/**
 * Creates the unit, with a sandbox where test mode is accepted, unless the tenant has a unit with this id. Either way
 * returns the unit, deleted or not, as it is. Throws business_unit_not_found for the unit of another tenant,
 * business_unit_name_taken, too_many_business_units.
 */
export function provisionBusinessUnit(
  deps: Deps,
  origin: Origin,
  { businessUnitId, name }: { readonly businessUnitId: string; readonly name: string },
): Promise<Omit<FoundUnit, 'tenant_id'>> {
  const { tenantId } = origin
  return deps.db.inTenant(tenantId, async (tx) => {
    await units.lockBusinessUnits(tx, tenantId)
    const unit =
      (await units.find(tx, tenantId, businessUnitId)) ?? (await create(tx, deps, origin, { businessUnitId, name }))
    const all = await orchestrators.listAll(tx, tenantId, businessUnitId)
    return {
      business_unit: presentBusinessUnit(unit),
      payment_orchestrators: all.map(presentPaymentOrchestrator),
    }
  })
}

async function create(
  tx: Tx,
  { acceptsTestMode }: Deps,
  origin: Origin,
  { businessUnitId, name }: { readonly businessUnitId: string; readonly name: string },
): Promise<BusinessUnitFacts> {
  const { tenantId } = origin
  if ((await units.countActive(tx, tenantId)) >= businessUnitsMax) throw new Problem(problems.too_many_business_units)
  if (await units.isNameTaken(tx, tenantId, name, businessUnitId)) throw new Problem(problems.business_unit_name_taken)
  const unit = await units.insert(tx, tenantId, businessUnitId, provisionedUnit(name))
  if (unit === undefined) throw new Problem(problems.business_unit_not_found)
  await emitBusinessUnit(tx, origin, 'create', unit)
  if (!acceptsTestMode) return unit
  const id = sandboxOrchestratorId(businessUnitId)
  const insertion = { id, businessUnitId, draft: provisionedSandbox, cardPageTrusted: false, authentication: null }
  const sandbox = await orchestrators.insert(tx, tenantId, insertion)
  await emitPaymentOrchestrator(tx, origin, 'create', sandbox)
  return unit
}

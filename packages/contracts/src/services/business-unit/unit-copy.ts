import { Problem } from '../../grammar/problem.ts'
import { businessUnitProblems } from '../../problems/business-unit.ts'
import type { BusinessUnit, PaymentOrchestrator } from './contract.ts'

/** A business unit of a tenant with its payment orchestrators, deleted ones included, as other services copy it. */
export interface UnitCopy {
  readonly tenantId: string
  readonly businessUnit: BusinessUnit
  readonly paymentOrchestrators: readonly PaymentOrchestrator[]
}

/** Throws business_unit_deleted. */
export function requireActive({ businessUnit }: Pick<UnitCopy, 'businessUnit'>): void {
  if (businessUnit.status === 'deleted') throw new Problem(businessUnitProblems.business_unit_deleted)
}

import type { BusinessUnit, PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'

/** A business unit with its payment orchestrators, deleted ones included. */
export interface UnitCopy {
  readonly tenantId: string
  readonly businessUnit: BusinessUnit
  readonly paymentOrchestrators: readonly PaymentOrchestrator[]
}

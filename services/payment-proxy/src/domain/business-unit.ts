import type { BusinessUnit, PaymentOrchestrator } from '@payments/contracts/business-unit'

/** A business unit with its payment orchestrators, deleted ones included. */
export interface UnitCopy {
  readonly tenantId: string
  readonly businessUnit: BusinessUnit
  readonly paymentOrchestrators: readonly PaymentOrchestrator[]
}

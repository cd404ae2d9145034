import { businessUnitContract } from '@payments/contracts/services/business-unit/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import { type BusinessUnitFacts, presentBusinessUnit } from '../domain/business-unit.ts'
import { type PaymentOrchestratorFacts, presentPaymentOrchestrator } from '../domain/payment-orchestrator.ts'
import type { Tx } from '../store/database.ts'

/** The tenant and the trace of the request that makes a change. */
export interface Origin {
  readonly tenantId: string
  readonly traceId: string
}

type Action = 'create' | 'update' | 'delete'

/** Writes the event of a changed unit. */
export async function emitBusinessUnit(tx: Tx, origin: Origin, action: Action, unit: BusinessUnitFacts): Promise<void> {
  await emit(tx, businessUnitContract.events, {
    type: `business-unit.business-units.${action}`,
    tenantId: origin.tenantId,
    businessUnitId: null,
    traceId: origin.traceId,
    payload: { business_unit: presentBusinessUnit(unit) },
  })
}

/** Writes the event of a changed payment orchestrator. The payload has no credentials. */
export async function emitPaymentOrchestrator(
  tx: Tx,
  origin: Origin,
  action: Action,
  one: PaymentOrchestratorFacts,
): Promise<void> {
  await emit(tx, businessUnitContract.events, {
    type: `business.unit.payment.orchestrator.${action}`,
    tenantId: origin.tenantId,
    businessUnitId: one.businessUnitId,
    traceId: origin.traceId,
    payload: { payment_orchestrator: presentPaymentOrchestrator(one) },
  })
}

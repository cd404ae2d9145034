import { randomUUID } from 'node:crypto'
import type { Scenario } from './scenario.ts'

/** Business units and their payment orchestrators. */
export async function recordBusinessUnits({ recorder, unitId, orchestratorId }: Scenario): Promise<void> {
  const { id: business_unit_id } = await recorder.record('createBusinessUnit')
  const path = { business_unit_id }
  await recorder.record('readBusinessUnit', { path })
  await recorder.record('listBusinessUnits', { query: { limit: 2 } })
  await recorder.record('updateBusinessUnit', { path })
  await recorder.reject('business_unit_name_taken', 'createBusinessUnit')
  await recorder.reject('business_unit_not_found', 'readBusinessUnit', { path: { business_unit_id: randomUUID() } })
  const own = { business_unit_id: unitId }
  const { id: payment_orchestrator_id } = await recorder.record('createPaymentOrchestrator', { path: own })
  const orchestrator = { ...own, payment_orchestrator_id }
  await recorder.record('readPaymentOrchestrator', { path: orchestrator })
  await recorder.record('listPaymentOrchestrators', { path: own, query: { limit: 2 } })
  await recorder.recordAfter(404, 'checkPaymentOrchestrator', { path: orchestrator })
  await recorder.record('updatePaymentOrchestrator', { path: orchestrator })
  await recorder.record('deletePaymentOrchestrator', { path: orchestrator })
  await recorder.reject('last_default_orchestrator', 'updatePaymentOrchestrator', {
    path: { ...own, payment_orchestrator_id: orchestratorId },
  })
  await recorder.record('deleteBusinessUnit', { path })
}

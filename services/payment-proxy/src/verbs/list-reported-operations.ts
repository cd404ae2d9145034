import { cursorAt, positionBehind } from '@payments/contracts/page'
import { problems } from '@payments/contracts/payment-proxy'
import type { ReportedOperation } from '@payments/contracts/payment-proxy-operators'
import { Problem } from '@payments/contracts/problem'
import { z } from 'zod'
import type { ReportPage } from '../connectors/connector.ts'
import type { Deps } from '../deps.ts'
import { findUnitOwner } from '../store/business-unit-copies.ts'

/** The payment orchestrator that reports next, and the cursor of its provider. */
const position = z.tuple([z.uuid(), z.string().nullable()])

interface ReportQuery {
  readonly cursor?: string | undefined
  readonly business_unit_id: string
  readonly from: Date
  readonly to: Date
}

/**
 * Returns the reports of the payment providers of a business unit, one payment orchestrator after the other. The
 * provider decides the size of a page. Throws business_unit_not_found, provider_unreachable.
 */
export async function listReportedOperations(
  deps: Deps,
  traceId: string,
  { cursor, business_unit_id: businessUnitId, from, to }: ReportQuery,
): Promise<{ operations: ReportedOperation[]; unreported: string[]; next: string | null }> {
  const owner = await deps.db.acrossTenants((tx) => findUnitOwner(tx, businessUnitId))
  if (owner === null) throw new Problem(problems.business_unit_not_found)
  const { paymentOrchestrators } = await deps.units.find({ tenantId: owner, traceId }, businessUnitId)
  const ids = paymentOrchestrators.map(({ id }) => id).sort()
  const [at, within] = positionBehind(cursor, position) ?? [ids[0], null]
  if (at === undefined) return { operations: [], unreported: [], next: null }
  const following = ids[ids.indexOf(at) + 1]
  const context = { tenantId: owner, businessUnitId, paymentOrchestratorId: at }
  const page = await deps.provider.listOperations(context, { from, to, cursor: within }).catch((cause: unknown) => {
    const detail = `The provider of the payment orchestrator ${at} does not report its operations at the moment`
    throw new Problem(problems.provider_unreachable, { detail, cause })
  })
  const next = page?.next == null ? (following === undefined ? null : [following, null]) : [at, page.next]
  return {
    operations: page === null ? [] : presented(page, at),
    unreported: page === null ? [at] : [],
    next: next === null ? null : cursorAt(next),
  }
}

function presented({ operations }: ReportPage, paymentOrchestratorId: string): ReportedOperation[] {
  return operations.map((one) => ({
    payment_orchestrator_id: paymentOrchestratorId,
    operation_id: one.operationId,
    provider_reference: one.providerReference,
    type: one.type,
    state: one.state,
    amount: one.amount,
    currency: one.currency,
    received_at: one.receivedAt.toISOString(),
  }))
}

import type { RequestOf } from '@payments/contracts/grammar/contract'
import { cursorAt, positionBehind, positionText } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { type paymentProxy, problems } from '@payments/contracts/services/payment-proxy/contract'
import type { NotCompared, ReportedOperation } from '@payments/contracts/services/payment-proxy/operators'
import { z } from 'zod'
import type { ReportPage, ReportWindow } from '../connectors/connector.ts'
import type { ProviderContext } from '../connectors/provider-calls.ts'
import type { Deps } from '../deps.ts'
import { progressAfter, type ReportProgress, reportStart } from '../domain/report-progress.ts'
import { findUnitOwner } from '../store/business-unit-copies.ts'

/** The payment orchestrator that reports next, the cursor of its provider, and the progress of its report. */
const position = z.tuple([z.uuid(), positionText.nullable(), z.int(), z.int(), z.string()])

/**
 * Returns the reports of the payment providers of a business unit, one payment orchestrator after the other. The
 * provider decides the size of a page. A payment orchestrator without a report, or whose report does not end, is named,
 * and the next one follows.
 * Throws business_unit_not_found.
 */
export async function listReportedOperations(
  deps: Deps,
  traceId: string,
  {
    cursor,
    business_unit_id: businessUnitId,
    from,
    to,
  }: RequestOf<typeof paymentProxy.endpoints.listReportedOperations>['query'],
): Promise<{ operations: ReportedOperation[]; not_compared: NotCompared[]; next: string | null }> {
  const owner = await deps.db.acrossTenants((tx) => findUnitOwner(tx, businessUnitId))
  if (owner === null) throw new Problem(problems.business_unit_not_found)
  const { paymentOrchestrators } = await deps.units.find({ tenantId: owner, traceId }, businessUnitId)
  const ids = paymentOrchestrators.map(({ id }) => id).sort()
  const [at, within, ...progress] = positionBehind(cursor, position) ?? [ids[0], null, ...reportStart]
  if (at === undefined) return { operations: [], not_compared: [], next: null }
  const following = ids[ids.indexOf(at) + 1]
  const context = { tenantId: owner, businessUnitId, paymentOrchestratorId: at }
  const report = await readReport(deps, context, { from, to, cursor: within }, progress)
  const isEnd = 'kind' in report || report.next === null
  const first = following === undefined ? null : [following, null, ...reportStart]
  const next = isEnd ? first : [at, report.next, ...report.progress]
  return {
    operations: 'kind' in report ? [] : presentOperations(report, at),
    not_compared: 'kind' in report ? [{ payment_orchestrator_id: at, ...report }] : [],
    next: next === null ? null : cursorAt(next),
  }
}

type Report = (ReportPage & { readonly progress: ReportProgress }) | Omit<NotCompared, 'payment_orchestrator_id'>

async function readReport(
  { providerCalls, log }: Deps,
  context: ProviderContext,
  window: ReportWindow,
  before: ReportProgress,
): Promise<Report> {
  try {
    const page = await providerCalls.listOperations(context, window)
    if (page === null) return { kind: 'unsupported', reason: 'its connector reports no operations' }
    const progress = progressAfter(before, page)
    if (progress === null) throw new Error('the report does not end')
    return { ...page, progress }
  } catch (err) {
    const { tenantId: tenant_id, paymentOrchestratorId: payment_orchestrator_id } = context
    log.warn({ err, tenant_id, payment_orchestrator_id }, 'the provider reports no operations')
    return { kind: 'failed', reason: err instanceof Error ? err.message : 'the provider does not respond' }
  }
}

function presentOperations({ operations }: ReportPage, paymentOrchestratorId: string): ReportedOperation[] {
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

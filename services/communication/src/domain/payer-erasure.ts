import { erasingServices } from '@payments/contracts/nouns/payer-erasure'
import type { PayerErasure } from '@payments/contracts/services/communication/payers'

export interface ErasureRequest {
  readonly id: string
  readonly tenantId: string
  readonly requestedBy: string
  readonly reason: string | null
  readonly requestedAt: Date
  readonly completedAt: Date | null
}

export interface ErasureReport {
  readonly service: string | null
  readonly resources: number
  readonly isLast: boolean
  readonly reportedAt: Date | null
  /** When webhooks had erased its copies of these resources. */
  readonly copiesAt: Date | null
}

/** Whether each service, and webhooks for each report, has erased everything. */
export const isComplete = (reports: readonly ErasureReport[]): boolean =>
  erasingServices.every((service) => completedAt(service, reports) !== null) && copiesCompletedAt(reports) !== null

export function presentErasure(request: ErasureRequest, reports: readonly ErasureReport[]): PayerErasure {
  const parts = erasingServices.map((service) => {
    const own = reports.filter((report) => report.service === service)
    return { service, resources: sumOf(own), completed_at: iso(completedAt(service, reports)) }
  })
  const copied = reports.filter(({ copiesAt, service }) => copiesAt !== null && service !== null)
  const webhooks = {
    service: 'webhooks' as const,
    resources: sumOf(copied),
    completed_at: iso(copiesCompletedAt(reports)),
  }
  return {
    id: request.id,
    tenant_id: request.tenantId,
    requested_by: request.requestedBy,
    reason: request.reason,
    requested_at: request.requestedAt.toISOString(),
    completed_at: iso(request.completedAt),
    services: [...parts, webhooks],
  }
}

const sumOf = (reports: readonly ErasureReport[]) => reports.reduce((sum, { resources }) => sum + resources, 0)
const iso = (instant: Date | null) => instant?.toISOString() ?? null

const completedAt = (service: string, reports: readonly ErasureReport[]): Date | null =>
  reports.find((report) => report.service === service && report.isLast)?.reportedAt ?? null

/** Null until every service has sent its last report, and webhooks has erased the copies of each. */
function copiesCompletedAt(reports: readonly ErasureReport[]): Date | null {
  if (!erasingServices.every((service) => completedAt(service, reports) !== null)) return null
  const instants = reports.map(({ copiesAt }) => copiesAt)
  const [latest] = instants.filter((instant) => instant !== null).sort((a, b) => b.getTime() - a.getTime())
  return instants.includes(null) ? null : (latest ?? null)
}

import { copyDaysMax, type ErasureReport, erasingServices } from '@payments/contracts/nouns/payer-erasure'
import type { PayerErasure } from '@payments/contracts/services/communication/payers'

export interface ErasureRequest {
  readonly id: string
  readonly tenantId: string
  readonly requestedBy: string
  readonly reason: string | null
  readonly requestedAt: Date
  /** The progress of each service. */
  readonly services: ErasedServices
  readonly completedAt: Date | null
}

export type ErasedServices = PayerErasure['services']

export const servicesAtRequest: ErasedServices = erasingServices.map((service) => ({
  service,
  resources: 0,
  completed_at: null,
}))

/** A service reports the resources of all its runs, and is complete with the first report to arrive. */
export const withReport = (
  services: ErasedServices,
  { service, resources }: Pick<ErasureReport, 'service' | 'resources'>,
  now: Date,
): ErasedServices =>
  services.map((one) =>
    one.service === service
      ? {
          service,
          resources: Math.max(resources, one.resources),
          completed_at: one.completed_at ?? now.toISOString(),
        }
      : one,
  )

export const isComplete = (services: ErasedServices): boolean =>
  services.every(({ completed_at }) => completed_at !== null)

const dayMs = 24 * 60 * 60_000

export function presentErasure(request: ErasureRequest): PayerErasure {
  const { completedAt } = request
  return {
    id: request.id,
    tenant_id: request.tenantId,
    requested_by: request.requestedBy,
    reason: request.reason,
    requested_at: request.requestedAt.toISOString(),
    completed_at: completedAt?.toISOString() ?? null,
    copies_until: completedAt && new Date(completedAt.getTime() + copyDaysMax * dayMs).toISOString(),
    services: request.services,
  }
}

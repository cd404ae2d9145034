import type { DeliveryStatus } from '@payments/contracts/webhooks-delivery'
import type { AttemptModel, DeliveryModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

/** Reads omit the body. */
export type DeliveryRow = Omit<DeliveryModel, 'body'>

const withoutBody = { omit: { body: true } } as const

export interface DeliveryFilter {
  readonly subscriptionId: string | undefined
  readonly status: DeliveryStatus | undefined
  readonly eventType: string | undefined
  readonly createdAfter: Date | undefined
  readonly createdBefore: Date | undefined
}

/** Newest first; one more than `limit`, so that the caller knows whether there is a next page. */
export function list(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  filter: DeliveryFilter,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<DeliveryRow[]> {
  const { subscriptionId, status, eventType, createdAfter, createdBefore } = filter
  return tx.delivery.findMany({
    where: {
      tenantId,
      businessUnitId,
      ...(before === undefined ? {} : { id: { lt: before } }),
      ...(subscriptionId === undefined ? {} : { subscriptionId }),
      ...(status === undefined ? {} : { status }),
      ...(eventType === undefined ? {} : { eventType }),
      createdAt: {
        ...(createdAfter === undefined ? {} : { gt: createdAfter }),
        ...(createdBefore === undefined ? {} : { lt: createdBefore }),
      },
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
    ...withoutBody,
  })
}

export function findDelivery(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  deliveryId: string,
): Promise<DeliveryRow | null> {
  return tx.delivery.findFirst({ where: { tenantId, businessUnitId, id: deliveryId }, ...withoutBody })
}

/** Locks the delivery, so that its status stays unchanged until the commit. */
export async function lockDelivery(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  deliveryId: string,
): Promise<DeliveryRow | null> {
  await tx.$executeRawUnsafe(
    `SELECT 1 FROM deliveries WHERE id = $1::uuid AND tenant_id = $2::uuid FOR UPDATE`,
    deliveryId,
    tenantId,
  )
  return tx.delivery.findFirst({ where: { tenantId, businessUnitId, id: deliveryId }, ...withoutBody })
}

export function listAttempts(tx: Tx, tenantId: string, deliveryId: string): Promise<AttemptModel[]> {
  return tx.attempt.findMany({ where: { tenantId, deliveryId }, orderBy: { number: 'asc' }, take: 1_000 })
}

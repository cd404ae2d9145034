import type { ServiceCaller } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import { addressOf, erasureRequestType } from '@payments/contracts/nouns/payer-erasure'
import { communicationContract } from '@payments/contracts/services/communication/contract'
import type { PayerErasure } from '@payments/contracts/services/communication/payers'
import { emit } from '@payments/messaging/outbox/outbox'
import { storeErasure } from '@payments/payer-erasure/erasure-row'
import type { Deps } from '../deps.ts'
import { presentErasure } from '../domain/payer-erasure.ts'
import { findRequest, insertRequest, listReports } from '../store/payer-erasures.ts'

interface Erasure {
  readonly id: string
  readonly recipient: string
  readonly requestedBy: string
  readonly reason: string | null
}

/**
 * Begins the erasure of a payer: as work of this service, and by an event for the other ones. A repeated call with the
 * id returns the erasure as it is. Of ten calls at once with one id, one begins it; another may fail and be repeated.
 */
export function erasePayer(
  { db }: Pick<Deps, 'db'>,
  { traceId }: ServiceCaller,
  tenantId: string,
  { id, recipient, requestedBy, reason }: Erasure,
): Promise<PayerErasure> {
  return db.inTenant(tenantId, async (tx) => {
    const started = await findRequest(tx, tenantId, id)
    if (started !== null) return presentErasure(started, await listReports(tx, [started]))
    const requestedAt = await databaseNow(tx)
    const payload = { erasure_id: id, recipient, requested_at: requestedAt.toISOString() }
    const event = { type: erasureRequestType, tenantId, businessUnitId: null, traceId, payload } as const
    const eventId = await emit(tx, communicationContract.internalEvents, event)
    await insertRequest(tx, tenantId, { id, requestedBy, reason, eventId, requestedAt })
    await storeErasure(tx, { id, tenantId, traceId, address: addressOf(recipient), requestedAt })
    const request = await findRequest(tx, tenantId, id)
    if (request === null) throw new Error(`the erasure ${id} is not stored`)
    return presentErasure(request, [])
  })
}

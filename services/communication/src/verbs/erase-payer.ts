import type { ServiceCaller } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import { Problem } from '@payments/contracts/grammar/problem'
import { erasureRequestType, normalizeAddress } from '@payments/contracts/nouns/payer-erasure'
import { communicationContract } from '@payments/contracts/services/communication/contract'
import { type PayerErasure, payerProblems } from '@payments/contracts/services/communication/payers'
import { emit } from '@payments/messaging/outbox/outbox'
import { storeErasure } from '@payments/service/payers/erasures'
import { addressHashes } from '@payments/service/payers/hashes'
import type { Deps } from '../deps.ts'
import { presentErasure, servicesAtRequest } from '../domain/payer-erasure.ts'
import { insertRequest, lockRequest } from '../store/payer-erasures.ts'

interface Erasure {
  readonly id: string
  readonly recipient: string
  readonly requestedBy: string
  readonly reason: string | null
}

/**
 * Begins the erasure of a payer: as work of this service, and by an event for the other ones. A repeated call with the
 * id emits the event again, in case a service lost it, and changes nothing about the erasure. A complete one is
 * returned as it is. Of ten calls at once with one id, one begins it; another may fail and be repeated.
 * Throws payer_erasure_of_another_payer.
 */
export function erasePayer(
  { db, payerHashKeys }: Pick<Deps, 'db' | 'payerHashKeys'>,
  { traceId }: ServiceCaller,
  tenantId: string,
  { id, recipient, requestedBy, reason }: Erasure,
): Promise<PayerErasure> {
  const address = normalizeAddress(recipient)
  const hashes = addressHashes(payerHashKeys, tenantId, address)
  const [addressHash] = hashes
  return db.inTenant(tenantId, async (tx) => {
    const started = await lockRequest(tx, tenantId, id)
    if (started !== null && started.completedAt !== null) return presentErasure(started)
    if (started !== null && !isAmong(started.addressHash, hashes))
      throw new Problem(payerProblems.payer_erasure_of_another_payer)
    const requestedAt = started?.requestedAt ?? (await databaseNow(tx))
    const accepted = { id, requestedBy, reason, requestedAt, addressHash, services: servicesAtRequest }
    const request = started ?? (await insertRequest(tx, tenantId, accepted))
    const payload = { erasure_id: id, recipient, requested_at: requestedAt.toISOString() }
    const event = { type: erasureRequestType, tenantId, businessUnitId: null, traceId, payload } as const
    await emit(tx, communicationContract.internalEvents, event)
    await storeErasure(tx, payerHashKeys, { id, tenantId, traceId, address, requestedAt })
    return presentErasure(request)
  })
}

const isAmong = (stored: Uint8Array | null, hashes: readonly Uint8Array[]): boolean =>
  stored !== null && hashes.some((hash) => Buffer.compare(stored, hash) === 0)

import { communicationContract } from '@payments/contracts/services/communication/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { ErasureJob, ErasureStep } from '@payments/payer-erasure/run-erasures'
import { presentCommunication } from '../domain/communication.ts'
import { findCommunication } from '../store/communications.ts'
import type { Tx } from '../store/database.ts'
import { deleteOutboxMessages, eraseCommunications } from '../store/payers.ts'

const rowsMax = 200
const details = {
  withoutAttempt: 'The payer was erased before the message was sent',
  afterAttempt: 'The payer was erased after an attempt to send the message: it may have been sent',
}

/** Erases messages to the payer. One that was queued is attempted no more, and gets its event. */
const eraseMessages: ErasureStep<Tx> = async (tx, erasure) => {
  const { tenantId, traceId } = erasure
  const { messages, position } = await eraseCommunications(tx, { ...erasure, limit: rowsMax }, details)
  for (const { id } of messages.filter(({ wasQueued }) => wasQueued)) {
    const failed = await findCommunication(tx, tenantId, id)
    if (failed === null) throw new Error(`the communication ${id} is not stored`)
    await emit(tx, communicationContract.events, {
      type: 'communication.communications.send.failed',
      tenantId,
      businessUnitId: failed.businessUnitId,
      traceId,
      payload: { communication: presentCommunication(failed) },
    })
  }
  return { resourceIds: messages.map(({ id }) => id), position }
}

const deleteTexts: ErasureStep<Tx> = async (tx, { tenantId, address, createdUntil }) => {
  const deleted = await deleteOutboxMessages(tx, tenantId, { address, createdUntil, rowsMax })
  return { resourceIds: [], position: deleted < rowsMax ? null : 'more' }
}

export const erasureJob: ErasureJob<Tx> = {
  service: 'communication',
  events: communicationContract.internalEvents,
  steps: [eraseMessages, deleteTexts],
}

import { erased } from '@payments/contracts/nouns/payer-erasure'
import { communicationContract } from '@payments/contracts/services/communication/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { PayerEraser } from '@payments/service/payers/erasures'
import type { RetainedRows } from '@payments/service/payers/retention'
import { presentCommunication } from '../domain/communication.ts'
import { findCommunication } from '../store/communications.ts'
import type { Tx } from '../store/database.ts'
import { eraseCommunications, redactCommunications } from '../store/payers.ts'

const rowsMax = 200
const details = {
  withoutAttempt: 'The payer was erased before the message was sent',
  afterAttempt: 'The payer was erased after an attempt to send the message: it may have been sent',
}

/** Erases messages to the payer. One that was queued is attempted no more, and gets its event. */
export const messageEraser: PayerEraser<Tx> = {
  service: 'communication',
  events: communicationContract.internalEvents,
  eraseBatch: async (tx, erasure) => {
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
    return { resources: messages.length, position }
  },
}

/** Ended messages, by their request. */
export const retainedMessages: RetainedRows<Tx> = {
  table: 'communications',
  condition: `status <> 'queued' AND recipient <> '${erased}'`,
  column: 'created_at',
  redact: redactCommunications,
}

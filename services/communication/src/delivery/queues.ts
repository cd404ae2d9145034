import { communicationContract } from '@payments/contracts/services/communication/contract'
import { type Emission, emit, encodeEvent } from '@payments/messaging/outbox/outbox'
import { type CommunicationFacts, presentCommunication } from '../domain/communication.ts'
import * as communications from '../store/communications.ts'
import type { Tx } from '../store/database.ts'
import * as mails from '../store/user-invitation-mails.ts'

/** Messages of one kind that wait for their next attempt. */
export interface MessageQueue {
  /** Their table. */
  readonly table: communications.MessageTable
  /** Ends a queued message. Changes nothing for one that has ended. */
  end(tx: Tx, claimed: communications.Claimed, ending: communications.Ending, now: Date): Promise<void>
}

export const communicationQueue: MessageQueue = {
  table: 'communications',
  end: async (tx, { tenantId, id, traceId }, ending) => {
    const ended = await communications.end(tx, tenantId, id, ending)
    if (ended !== null) await emit(tx, communicationContract.events, eventOfEnd(ended, { tenantId, traceId }))
  },
}

function eventOfEnd(
  ended: CommunicationFacts,
  origin: { readonly tenantId: string; readonly traceId: string },
): Emission<typeof communicationContract.events, EndType> {
  const type: EndType = `communication.communications.send${ended.status === 'failed' ? '.failed' : ''}`
  const payload = { communication: presentCommunication(ended) }
  return { type, ...origin, businessUnitId: ended.businessUnitId, payload }
}

type EndType = 'communication.communications.send' | 'communication.communications.send.failed'

/**
 * Proves, before the message is sent, that the event of its end can be written: what a provider adds is cleaned. An
 * event that is rejected after the send would undo the record of it. Throws EventRejected.
 */
export function requireEncodableEnd(queued: CommunicationFacts, origin: { tenantId: string; traceId: string }): void {
  encodeEvent(communicationContract.events, eventOfEnd(queued, origin))
}

/** Without events: a communication is of a business unit, and identity has events of user invitations. */
export const userInvitationQueue: MessageQueue = {
  table: 'user_invitation_mails',
  end: (tx, { tenantId, id }, ending, now) => mails.end(tx, tenantId, id, ending, now),
}

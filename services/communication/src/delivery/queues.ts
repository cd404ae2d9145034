import { communicationContract } from '@payments/contracts/services/communication/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import { presentCommunication } from '../domain/communication.ts'
import * as communications from '../store/communications.ts'
import type { Tx } from '../store/database.ts'
import * as mails from '../store/user-invitation-mails.ts'

/** Messages of one kind that wait for their next attempt. */
export interface MessageQueue {
  /** Their table. */
  readonly table: string
  /** Claims messages that the transaction has locked, until `leaseUntil`. */
  claim(tx: Tx, ids: readonly string[], leaseUntil: Date): Promise<communications.Claimed[]>
  /** Ends a queued message. Changes nothing for one that has ended. */
  end(tx: Tx, claimed: communications.Claimed, ending: communications.Ending, now: Date): Promise<void>
  /** Sets the time of the next attempt, unless another attempt has started or the message has ended. */
  postpone(tx: Tx, tenantId: string, claimed: communications.Claimed, dueAt: Date): Promise<void>
}

export const communicationQueue: MessageQueue = {
  table: 'communications',
  claim: communications.claim,
  postpone: communications.postpone,
  end: async (tx, { tenantId, id, traceId }, ending) => {
    const ended = await communications.end(tx, tenantId, id, ending)
    if (ended === null) return
    const type = `communication.communications.send${ended.status === 'failed' ? '.failed' : ''}` as const
    const payload = { communication: presentCommunication(ended) }
    const { businessUnitId } = ended
    await emit(tx, communicationContract.events, { type, tenantId, businessUnitId, traceId, payload })
  },
}

/** Without events: those of communications are of a business unit, and identity has events of user invitations. */
export const userInvitationQueue: MessageQueue = {
  table: 'user_invitation_mails',
  claim: mails.claim,
  postpone: mails.postpone,
  end: (tx, { tenantId, id }, ending, now) => mails.end(tx, tenantId, id, ending, now),
}

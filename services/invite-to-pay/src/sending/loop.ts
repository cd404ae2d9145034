import { createTurns } from '@payments/chassis/database/turns'
import { type ClaimLoop, startClaimLoop } from '@payments/chassis/process/claim-loop'
import * as messages from '../store/messages.ts'
import { attemptMessage, type SendingDeps } from './attempt.ts'

/**
 * **What it does.** Queues invitations, reminders and receipts at communication. A message is a row, written by the
 * transaction that decides it.
 *
 * **Participants.** Verbs, which wake the loop; communication, which sends a message once per id; payment-proxy;
 * claim-loop.ts of the chassis.
 *
 * **Guarantees.** A decided message is queued, or its failure becomes `last_error` of the code: while a service is
 * unavailable, or a capture is open, it is attempted for a day (retry-schedule.ts of the chassis).
 *
 * **Not guaranteed.** Order. A message is dropped once its code has ended, or its payment was voided.
 */
export function startSendingLoop(deps: SendingDeps): ClaimLoop {
  return startClaimLoop({
    name: 'messages',
    db: deps.db,
    turns: createTurns('messages'),
    claim: messages.claim,
    attempt: (claimed) => attemptMessage(deps, claimed),
    logFields: ({ id, traceId }) => ({ message_id: id, trace_id: traceId }),
    log: deps.log,
  })
}

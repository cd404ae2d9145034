import { type ClaimLoop, startClaimLoop } from '@payments/chassis/claim-loop'
import { claimDue } from '../store/messages.ts'
import { handOver, type SendingDeps } from './hand-over.ts'

/** Many times the time-outs of an attempt, so a claim of a live process does not expire. */
const leaseMs = 60_000

/**
 * **What it does.** Hands invitations, reminders and receipts to communication. A message is a row, written by the
 * transaction that decides it.
 *
 * **Participants.** Verbs, which decide messages and wake the loop; loops of other processes; hand-over.ts;
 * communication, which sends a message once per id; the loop of packages/chassis/src/claim-loop.ts.
 *
 * **Guarantees.**
 * 1. A decided message is handed over, or its failure becomes `last_error` of the code. A crash repeats an attempt, and
 *    communication drops the repetition: the id of the message is the id of the row.
 * 2. While communication is unavailable, a message is attempted again for a day: after 1 s, 10 s, 1 min, 5 min, 30 min,
 *    then hourly. A rejection ends it.
 * 3. A claim skips locked rows and sets a lease of 60 s.
 *
 * **Not guaranteed.** Order. A message whose code has ended meanwhile is dropped.
 */
export function startSendingLoop(deps: SendingDeps): ClaimLoop {
  return startClaimLoop({
    name: 'messages',
    claim: (limit) => deps.db.acrossTenants((tx) => claimDue(tx, { leaseMs, limit })),
    attempt: (claimed) => handOver(deps, claimed),
    idsOf: ({ id, traceId }) => ({ message_id: id, trace_id: traceId }),
    log: deps.log,
  })
}

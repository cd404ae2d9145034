import { databaseNow } from '@payments/chassis/database/database-now'
import { type Allowance, createTurns, type Turns } from '@payments/chassis/database/turns'
import { type Claim, type ClaimLoop, startClaimLoop } from '@payments/chassis/process/claim-loop'
import * as messages from '../store/messages.ts'
import { handOver, type SendingDeps } from './hand-over.ts'

/** Many times the time-outs of an attempt, so a claim of a live process does not expire. */
const leaseMs = 60_000

/**
 * **What it does.** Hands invitations, reminders and receipts to communication. A message is a row, written by the
 * transaction that decides it.
 *
 * **Participants.** Verbs, which wake the loop; communication, which sends a message once per id; payment-proxy.
 *
 * **Guarantees.**
 * 1. A decided message is handed over, or its failure becomes `last_error` of the code.
 * 2. While a service is unavailable, or a capture is open, a message is attempted for a day: after 1 s, 10 s, 1 min,
 *    5 min, 30 min, then hourly.
 * 3. Tenants take turns, and one has at most 4 attempts in progress per process.
 *
 * **Not guaranteed.** Order. A message is dropped once its code has ended, or its payment was voided.
 */
export function startSendingLoop(deps: SendingDeps): ClaimLoop {
  const turns = createTurns('messages')
  return startClaimLoop({
    name: 'messages',
    nextDue: () => turns.nextDue(deps.db.crossTenant),
    claim: (allowance) => claimDue(deps, turns, allowance),
    attempt: (claimed) => handOver(deps, claimed),
    idsOf: ({ id, traceId }) => ({ message_id: id, trace_id: traceId }),
    log: deps.log,
  })
}

function claimDue(
  { db }: Pick<SendingDeps, 'db'>,
  turns: Turns,
  allowance: Allowance,
): Promise<Claim<messages.ClaimedMessage>> {
  return db.acrossTenants(async (tx) => {
    const { ids, mayBeMore } = await turns.lockDue(tx, await databaseNow(tx), allowance)
    return { claimed: ids.length === 0 ? [] : await messages.claim(tx, ids, leaseMs), mayBeMore }
  })
}

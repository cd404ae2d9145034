import { databaseNow } from '@payments/chassis/database/database-now'
import { type Allowance, createTurns, type Turns } from '@payments/chassis/database/turns'
import { type Claim, type ClaimLoop, startClaimLoop } from '@payments/chassis/process/claim-loop'
import { type ClaimedMail, claimMails } from '../store/due-mails.ts'
import { handOver, type MailDeps } from './hand-over.ts'

/** Many times the time-outs of an attempt, so a claim of a live process does not expire. */
const leaseMs = 60_000

/**
 * **What it does.** Hands the mails of user invitations to communication. The transaction that creates or resends an
 * invitation makes its mail due.
 *
 * **Participants.** Verbs, which wake the loop; rbac, which names the tenant; communication, which sends a mail once
 * per id.
 *
 * **Guarantees.**
 * 1. A mail is attempted until communication accepts or rejects it, or the invitation ends. A crash repeats an attempt,
 *    which communication drops.
 * 2. During an outage a mail is attempted for a day: after 1 s, 10 s, 1 min, 5 min, 30 min, then hourly.
 * 3. Tenants take turns, and one has at most 4 attempts in progress per process.
 *
 * **Not guaranteed.** Order, and delivery: `last_sent_at` means that communication accepted the mail.
 */
export function startMailLoop(deps: MailDeps): ClaimLoop {
  const turns = createTurns('user_invitations', { dueAt: 'mail_due_at' })
  return startClaimLoop({
    name: 'mails',
    nextDue: () => turns.nextDue(deps.db.crossTenant),
    claim: (allowance) => claimDue(deps, turns, allowance),
    attempt: (claimed) => handOver(deps, claimed),
    idsOf: ({ messageId, traceId }) => ({ message_id: messageId, trace_id: traceId }),
    log: deps.log,
  })
}

function claimDue({ db }: Pick<MailDeps, 'db'>, turns: Turns, allowance: Allowance): Promise<Claim<ClaimedMail>> {
  return db.acrossTenants(async (tx) => {
    const { ids, mayBeMore } = await turns.lockDue(tx, await databaseNow(tx), allowance)
    return { claimed: ids.length === 0 ? [] : await claimMails(tx, ids, leaseMs), mayBeMore }
  })
}

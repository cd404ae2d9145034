import { createTurns } from '@payments/chassis/database/turns'
import { type ClaimLoop, startClaimLoop } from '@payments/chassis/process/claim-loop'
import { claimMails } from '../store/due-mails.ts'
import { attemptMail, type MailDeps } from './attempt.ts'

/**
 * **What it does.** Queues the mails of user invitations at communication. The transaction that creates or resends an
 * invitation makes its mail due.
 *
 * **Participants.** Verbs, which wake the loop; rbac, which names the tenant; communication, which sends a mail once
 * per id; claim-loop.ts of the chassis.
 *
 * **Guarantees.** A mail is attempted until communication accepts or rejects it, the invitation ends, or the schedule
 * ends (retry-schedule.ts of the chassis). A crash repeats an attempt, which communication drops.
 *
 * **Not guaranteed.** Order, and delivery: `last_sent_at` means that communication accepted the mail.
 */
export function startMailLoop(deps: MailDeps): ClaimLoop {
  return startClaimLoop({
    name: 'mails',
    db: deps.db,
    turns: createTurns('user_invitations', { dueAt: 'mail_due_at' }),
    claim: claimMails,
    attempt: (claimed) => attemptMail(deps, claimed),
    logFields: ({ messageId, traceId }) => ({ message_id: messageId, trace_id: traceId }),
    log: deps.log,
  })
}

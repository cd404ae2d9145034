import type { Tx } from './database.ts'

/** A mail of an invitation that this process attempts until its lease expires. */
export interface ClaimedMail {
  readonly invitationId: string
  readonly tenantId: string
  readonly messageId: string
  readonly traceId: string
  /** This attempt included. */
  readonly attemptCount: number
}

/** Across tenants: claims mails of invitations that the transaction has locked, until `leaseUntil`. */
export function claimMails(tx: Tx, invitationIds: readonly string[], leaseUntil: Date): Promise<ClaimedMail[]> {
  return tx.$queryRawUnsafe(
    `UPDATE user_invitations SET mail_due_at = $2::timestamptz, mail_attempts = mail_attempts + 1
      WHERE id = ANY ($1::uuid[])
      RETURNING id::text AS "invitationId", tenant_id::text AS "tenantId", message_id::text AS "messageId",
        trace_id::text AS "traceId", mail_attempts AS "attemptCount"`,
    invitationIds,
    leaseUntil,
  )
}

/**
 * Records an attempt: when the next one is due, or null at the end. `sentAt`: when communication queued the mail.
 * Changes nothing after another attempt has started, or another mail was decided.
 */
export async function recordAttempt(
  tx: Tx,
  { tenantId, invitationId, messageId, attemptCount }: ClaimedMail,
  { dueAt, sentAt }: { readonly dueAt: Date | null; readonly sentAt: Date | null },
): Promise<void> {
  await tx.userInvitation.updateMany({
    where: { tenantId, id: invitationId, messageId, mailAttempts: attemptCount, mailDueAt: { not: null } },
    data: { mailDueAt: dueAt, ...(sentAt === null ? {} : { lastSentAt: sentAt }) },
  })
}

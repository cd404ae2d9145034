import type { CommunicationFacts, Content } from '../domain/communication.ts'
import { Prisma } from '../generated/client.ts'
import type { Ending } from './communications.ts'
import type { Tx } from './database.ts'
import { listSpellings } from './spellings.ts'

export interface MailInsert extends Pick<CommunicationFacts, 'id' | 'recipient' | 'provider'> {
  readonly traceId: string
  readonly content: Content
  readonly dueAt: Date
}

export async function insertMail(tx: Tx, tenantId: string, { content, ...columns }: MailInsert): Promise<void> {
  await tx.userInvitationMail.create({
    data: { ...columns, tenantId, content: { ...content }, createdAt: columns.dueAt },
  })
}

export async function hasMail(tx: Tx, tenantId: string, id: string): Promise<boolean> {
  return (await tx.userInvitationMail.findFirst({ where: { tenantId, id }, select: { id: true } })) !== null
}

/** Ends a queued mail and deletes its text. Changes nothing for one that has ended. */
export async function end(tx: Tx, tenantId: string, id: string, result: Ending, endedAt: Date): Promise<void> {
  const changes =
    'error' in result
      ? { status: 'failed' as const, provider: result.provider, error: { ...result.error } }
      : { status: 'sent' as const, provider: result.provider, providerMessageId: result.providerMessageId }
  await tx.userInvitationMail.updateMany({
    where: { tenantId, id, status: 'queued' },
    data: { ...changes, endedAt, dueAt: null, content: Prisma.DbNull },
  })
}

/**
 * Across tenants: replaces a recipient, in any spelling of the address, by `marker`, and the text of errors, which may
 * quote the address. A queued mail fails. Returns the number of mails.
 */
export async function eraseRecipient(tx: Tx, recipient: string, marker: string, now: Date): Promise<number> {
  const recipients = await listSpellings(tx, 'user_invitation_mails', recipient)
  return tx.$executeRaw`
    UPDATE user_invitation_mails SET recipient = ${marker}, content = NULL, due_at = NULL,
      ended_at = coalesce(ended_at, ${now}),
      error = CASE WHEN status <> 'sent' THEN jsonb_build_object('code', 'refused', 'detail', ${marker}::text) END,
      status = CASE WHEN status <> 'sent' THEN 'failed'::"CommunicationStatus" ELSE status END
    WHERE recipient = ANY(${recipients}::text[])`
}

/** Deletes at most `rowsMax` mails that ended more than 30 days ago. */
export function purgeMails(tx: Tx, now: Date, rowsMax = 10_000): Promise<number> {
  return tx.$executeRaw`
    DELETE FROM user_invitation_mails WHERE id = ANY (ARRAY
      (SELECT id FROM user_invitation_mails WHERE ended_at < ${now}::timestamptz - interval '30 days' LIMIT ${rowsMax}
       FOR UPDATE SKIP LOCKED))`
}

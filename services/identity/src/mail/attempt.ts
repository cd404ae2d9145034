import { timeOfId } from '@payments/chassis/base/id'
import { nextAttemptAt } from '@payments/chassis/base/retry-schedule'
import { databaseNow } from '@payments/chassis/database/database-now'
import { logAttempt } from '@payments/chassis/process/log-attempt'
import { Problem } from '@payments/contracts/grammar/problem'
import type { Deps } from '../deps.ts'
import { statusAt } from '../domain/user-invitation.ts'
import { type ClaimedMail, recordAttempt } from '../store/due-mails.ts'
import { findInvitation, type InvitationRow } from '../store/user-invitations.ts'
import { readOrigin } from '../user-invitation/invitation-origin.ts'
import { decryptLink } from '../user-invitation/invitation-secret.ts'
import type { MailAttempts, MailOutcome } from './metrics.ts'

export type MailDeps = Pick<Deps, 'db' | 'vault' | 'rbac' | 'communication' | 'consoleOrigin' | 'log'> & {
  readonly attempts: MailAttempts
}

/** Names of roles in a mail. */
const roleNamesMax = 10

interface Outcome {
  readonly kind: MailOutcome
  readonly reason?: string
  /** Until the rate that rejected the mail takes one. */
  readonly rateWaitMs?: number
}

/** Attempts one claimed mail. loop.ts has the essay. */
export async function attemptMail(deps: MailDeps, mail: ClaimedMail): Promise<void> {
  const { invitationId, tenantId, messageId, traceId, attemptCount } = mail
  const ids = { trace_id: traceId, tenant_id: tenantId, user_invitation_id: invitationId, message_id: messageId }
  const outcome = await logAttempt(deps.log, { ...ids, attempt: attemptCount }, () => attempt(deps, mail))
  deps.attempts.inc({ outcome: outcome.kind })
  await deps.db.inTenant(tenantId, async (tx) => {
    const now = await databaseNow(tx)
    const { kind, rateWaitMs = null } = outcome
    // A mail waits for a rate as long as its invitation is open.
    const decidedAt = rateWaitMs === null ? timeOfId(messageId) : now
    const dueAt = kind === 'unavailable' ? nextAttemptAt({ attemptCount, decidedAt, rateWaitMs }, now) : null
    await recordAttempt(tx, mail, { dueAt, sentAt: kind === 'handed_over' ? now : null })
  })
}

async function attempt(deps: MailDeps, mail: ClaimedMail): Promise<Outcome> {
  const { tenantId, invitationId } = mail
  const { invitation, now } = await deps.db.readInTenant(tenantId, async (tx) => ({
    invitation: await findInvitation(tx, tenantId, invitationId),
    now: await databaseNow(tx),
  }))
  if (invitation === null || statusAt(invitation, now) !== 'open') return { kind: 'dropped' }
  try {
    return await queue(deps, mail, invitation)
  } catch (error) {
    if (error instanceof Problem && error.status === 429) {
      const rateWaitMs = 1_000 * (error.options.retryAfterSeconds ?? 0)
      return { kind: 'unavailable', reason: error.code, rateWaitMs }
    }
    if (error instanceof Problem && error.status < 500) return { kind: 'rejected', reason: error.code }
    if (error instanceof Problem) return { kind: 'unavailable', reason: error.code }
    deps.log.error({ err: error, message_id: mail.messageId }, 'queueing a mail failed')
    return { kind: 'unavailable' }
  }
}

async function queue(deps: MailDeps, mail: ClaimedMail, invitation: InvitationRow): Promise<Outcome> {
  const { tenantId, traceId, messageId } = mail
  const { email, tokenEncrypted, expiresAt, locale } = invitation
  if (email === null || tokenEncrypted === null) return { kind: 'dropped' }
  const { tenantName, inviter, roleNames } = await readOrigin(deps, invitation, traceId)
  const body = {
    message_id: messageId,
    recipient: email,
    tenant_name: tenantName,
    url: await decryptLink(deps, { ...invitation, tokenEncrypted }),
    expires_at: expiresAt.toISOString(),
    ...(locale === null ? {} : { locale }),
  }
  const names = { ...(inviter === null ? {} : { inviter }), role_names: roleNames.slice(0, roleNamesMax) }
  const send = (more: Partial<typeof names>) =>
    deps.communication.queueUserInvitation({ traceId }, { params: { tenant_id: tenantId }, body: { ...body, ...more } })
  // Foreign names that communication does not take do not stop the mail.
  await send(names).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'invalid_request') return send({})
    throw error
  })
  return { kind: 'handed_over' }
}

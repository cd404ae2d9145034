import type { ServiceCaller } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import { Problem } from '@payments/contracts/grammar/problem'
import type { UnitCopy } from '@payments/contracts/services/business-unit/unit-copy'
import {
  type CodeWithLink,
  problems,
  resendIntervalSeconds,
  resendsMax,
} from '@payments/contracts/services/invite-to-pay/contract'
import { emitCode } from '../code/change-code.ts'
import { requireTemplate } from '../code/check-invitation.ts'
import { decryptLink } from '../code/link.ts'
import { requireNotOrphaned } from '../code/require-not-orphaned.ts'
import type { Deps } from '../deps.ts'
import { notActive } from '../domain/changes.ts'
import { type CodeFacts, presentSnapshot } from '../domain/code.ts'
import { columnsAfter, statusAt } from '../domain/code-state.ts'
import { findOrchestrator } from '../domain/entry.ts'
import { expiryAfterRevival } from '../domain/lifetime.ts'
import * as codes from '../store/codes.ts'
import { hasMessage, insertMessage } from '../store/messages.ts'

/**
 * Decides the invitation of the latest code again, once per `resendId`, the id of the message. Revives an expired code.
 * Throws code_not_found, code_not_active, payment_orchestrator_unusable, template_unusable, resend_too_soon,
 * resend_limit_reached, rate_limited, service_unavailable.
 */
export async function resendCode(
  deps: Pick<Deps, 'db' | 'vault' | 'businessUnits' | 'communication' | 'payBaseUrl' | 'sending'>,
  { traceId }: ServiceCaller,
  { tenantId, transactionId }: Pick<CodeFacts, 'tenantId' | 'transactionId'>,
  resendId: string,
): Promise<CodeWithLink> {
  const { found, isRepeated } = await deps.db.readInTenant(tenantId, async (tx) => ({
    found: await codes.findByTransaction(tx, tenantId, transactionId),
    isRepeated: await hasMessage(tx, tenantId, resendId),
  }))
  if (found === null) throw new Problem(problems.code_not_found)
  if (!isRepeated) {
    requireActiveOrchestrator(found, await requireNotOrphaned(deps, found, traceId))
    await requireRenderable(deps, found, traceId)
  }
  const url = await decryptLink(deps, found)
  const code = await deps.db.inTenant(tenantId, async (tx) => {
    const locked = await codes.lockByTransaction(tx, tenantId, transactionId)
    if (locked === null) throw new Problem(problems.code_not_found)
    if (await hasMessage(tx, tenantId, resendId)) return locked
    // A new code has taken the place of the expired one meanwhile.
    if (locked.id !== found.id) throw notActive('expired')
    const now = await databaseNow(tx)
    const isExpired = statusAt(locked, now) === 'expired'
    const sent = await codes.change(tx, tenantId, locked.id, {
      ...columnsOfResend(locked, now),
      resendCount: locked.resendCount + 1,
      invitedAt: now,
    })
    await insertMessage(tx, tenantId, { id: resendId, codeId: locked.id, kind: 'invitation', traceId })
    if (isExpired) await emitCode(tx, 'invite-to-pay.codes.update', sent, traceId)
    await emitCode(tx, 'payment-proxy.i2p.resend', sent, traceId)
    return sent
  })
  deps.sending.wake()
  return { ...presentSnapshot(code), url }
}

/** The page takes no payment without it. Throws payment_orchestrator_unusable. */
function requireActiveOrchestrator(code: CodeFacts, unit: UnitCopy): void {
  const status = findOrchestrator(code, unit)?.status ?? 'active'
  if (status === 'active') return
  const detail = `The payment orchestrator of the transaction is ${status}`
  throw new Problem(problems.payment_orchestrator_unusable, { detail })
}

/** Throws template_unusable, rate_limited, service_unavailable. */
async function requireRenderable(deps: Pick<Deps, 'communication'>, code: CodeFacts, traceId: string): Promise<void> {
  if (code.status !== 'active' && code.status !== 'expired') return
  try {
    await requireTemplate(deps, { tenantId: code.tenantId, traceId }, code)
  } catch (error) {
    if (!(error instanceof Problem) || error.status === 429 || error.status >= 500) throw error
    const reason = error.options.errors?.[0]?.detail ?? error.options.detail ?? error.title
    throw new Problem(problems.template_unusable, { detail: `The template of the invitation: ${reason}` })
  }
}

/** Throws unless the code can be sent again now. */
function columnsOfResend(code: CodeFacts, now: Date): codes.CodeChange {
  const status = statusAt(code, now)
  if (status !== 'active' && status !== 'expired') throw notActive(status)
  if (code.resendCount >= resendsMax) throw new Problem(problems.resend_limit_reached)
  const waitMs = code.invitedAt.getTime() + resendIntervalSeconds * 1_000 - now.getTime()
  if (waitMs > 0) throw new Problem(problems.resend_too_soon, { retryAfterSeconds: Math.ceil(waitMs / 1_000) })
  if (status === 'active') return {}
  const expiresAt = expiryAfterRevival(code.createdAt, now)
  if (expiresAt === null) {
    throw new Problem(problems.code_not_active, { detail: 'The code has expired, 70 days after its creation' })
  }
  // A reminder that is still undecided was due before the end: the invitation takes its place.
  return { ...columnsAfter('revive'), expiresAt, remindDueAt: null }
}

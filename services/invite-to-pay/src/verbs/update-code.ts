import type { CallerWith } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { type Code, type inviteToPay, problems } from '@payments/contracts/services/invite-to-pay/contract'
import { changeCode } from '../code/change-code.ts'
import { requireTemplate } from '../code/check-invitation.ts'
import { requireNotOrphaned } from '../code/require-not-orphaned.ts'
import type { Deps } from '../deps.ts'
import { changedDetails, notActive, requireRecipient } from '../domain/changes.ts'
import { type CodeFacts, presentSnapshot } from '../domain/code.ts'
import { statusAt } from '../domain/code-state.ts'
import { requireLifetime } from '../domain/lifetime.ts'
import * as codes from '../store/codes.ts'

type Changes = RequestOf<typeof inviteToPay.endpoints.updateCode>['body']

type CodeUpdater = CallerWith<'invitetopay:RevealCode'>

/**
 * Every change increments the version, so forms of the page that were shown before pay nothing.
 * Throws invalid_request, permission_denied, code_not_found, code_not_active, template_unusable,
 * business_unit_not_found, service_unavailable.
 */
export async function updateCode(deps: Deps, caller: CodeUpdater, codeId: string, changes: Changes): Promise<Code> {
  const { tenantId, traceId } = caller
  const found = await deps.db.readInTenant(tenantId, (tx) => codes.findCode(tx, tenantId, codeId))
  if (found === null) throw new Problem(problems.code_not_found)
  await requireNotOrphaned(deps, found, traceId)
  if (changes.recipient !== undefined) requireRecipient(found, changes.recipient)
  const texts = { ...found, ...changedColumns(found, changes) }
  if ([changes.template_id, changes.communication_details, changes.locale].some((given) => given !== undefined)) {
    await requireTemplate(deps, caller, texts)
  }
  return deps.db.inTenant(tenantId, async (tx) => {
    const code = await codes.lockCode(tx, tenantId, codeId)
    if (code === null) throw new Problem(problems.code_not_found)
    const now = await databaseNow(tx)
    const status = statusAt(code, now)
    if (status !== 'active') throw notActive(status)
    if (changes.recipient !== undefined && changes.recipient !== code.recipient) requireReveal(caller)
    const change = { ...changedColumns(code, changes), ...lifetimeColumns(code, changes, now) }
    return presentSnapshot(await changeCode(tx, code, change, traceId))
  })
}

/** Throws invalid_request for more variables than a message can have. */
function changedColumns({ communicationDetails: details }: CodeFacts, changes: Changes): codes.CodeChange {
  return {
    ...(changes.recipient === undefined ? {} : { recipient: changes.recipient }),
    ...(changes.return_url === undefined ? {} : { returnUrl: changes.return_url }),
    ...(changes.locale === undefined ? {} : { locale: changes.locale }),
    ...(changes.template_id === undefined ? {} : { templateId: changes.template_id }),
    ...(changes.communication_details === undefined
      ? {}
      : { communicationDetails: changedDetails(details, changes.communication_details) }),
  }
}

/** Sent again, the invitation shows the link to the new recipient, who may be the caller. */
function requireReveal(caller: CodeUpdater): void {
  if (caller.permissions.has('invitetopay:RevealCode')) return
  const detail = 'needs invitetopay:RevealCode, because another recipient gets the same link'
  throw new Problem(commonProblems.permission_denied, { errors: [{ pointer: '/recipient', detail }] })
}

function lifetimeColumns(code: CodeFacts, changes: Changes, now: Date): codes.CodeChange {
  const { expires_at: expires, reminder_at: reminder } = changes
  const wanted = {
    expiresAt: expires ?? code.expiresAt,
    reminderAt: reminder === undefined ? code.reminderAt : reminder,
  }
  const changed = { expiresAt: expires !== undefined, reminderAt: reminder !== undefined }
  const { expiresAt, reminderAt } = requireLifetime(wanted, { createdAt: code.createdAt, now, changed })
  return { expiresAt, ...(reminder === undefined ? {} : { reminderAt, remindDueAt: reminderAt }) }
}

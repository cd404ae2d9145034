import type { Caller, CallerWith } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { keyInUse, type RequestResult, unwrapResult } from '@payments/chassis/request/idempotency'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { InvitationInput } from '@payments/contracts/nouns/invitation'
import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import type { Deps } from '../deps.ts'
import { presentTransaction } from '../domain/transaction.ts'
import { invitationFrom, type TransactionDraft, transactionFrom } from '../domain/transaction-draft.ts'
import { requireCapturePermission } from '../operation/authorization.ts'
import { accessBooks, type Books, changeBooks, nothingStored } from '../operation/books.ts'
import { unitForDraft } from '../operation/current-unit.ts'
import { creationEvent } from '../operation/event.ts'

type InvitingCaller = CallerWith<'invitetopay:StartTransaction' | 'transaction:CaptureTransaction'>

/**
 * Nothing is charged yet. With an invitation, invite-to-pay creates the code when it consumes the event. Throws
 * business_unit_not_found, business_unit_deleted, payment_orchestrator_unusable, test_mode_not_allowed,
 * invalid_request, amount_mismatch, external_reference_taken; for an invitation permission_denied, template_unusable,
 * payment_orchestrator_without_page, service_unavailable.
 */
export async function createTransaction(
  deps: Deps,
  caller: InvitingCaller,
  { invitation, ...draft }: TransactionDraft & { readonly invitation?: InvitationInput | undefined },
): Promise<TransactionReply> {
  if (invitation !== undefined) requireInvitationPermissions(caller, draft)
  const unit = await unitForDraft(deps, caller, draft, undefined)
  // A replay reads its stored response, whatever the result of the check.
  const [checked] = await Promise.allSettled([invitation && checkInvitation(deps, caller, draft, invitation)])
  const decide = ({ key }: Books) => {
    if (key.state === 'unfinished') throw keyInUse()
    if (key.state === 'completed') return { stored: key.stored, change: null }
    if (checked.status === 'rejected') throw checked.reason
    const now = deps.now()
    const invited = invitation === undefined ? null : invitationFrom(invitation)
    const created = { id: newId(), now, invitation: invited, acceptsTestMode: deps.acceptsTestMode }
    const after = { transaction: transactionFrom(draft, unit, undefined, created), operations: [] }
    const stored: RequestResult = { kind: 'reply', value: presentTransaction(after, now) }
    const change = { before: null, after, key: { caller, reference: null, stored, replaced: null } }
    return { stored, change, event: creationEvent(after, caller, now) }
  }
  const access = accessBooks(deps.db, caller.tenantId)
  const named = { transactionId: null, idempotency: caller.idempotency, assumed: nothingStored }
  const created = await changeBooks(deps, access, named, decide)
  if (created === null) throw keyInUse()
  return unwrapResult(created.stored)
}

/** The payer authorizes later, in the name of the caller. Throws permission_denied. */
function requireInvitationPermissions(caller: InvitingCaller, { capture }: TransactionDraft): void {
  const permission = 'invitetopay:StartTransaction'
  if (!caller.permissions.has(permission)) {
    throw new Problem(commonProblems.permission_denied, { detail: `An invitation to pay requires ${permission}` })
  }
  if (capture) requireCapturePermission(caller)
}

/** Rejects what invite-to-pay would reject when it consumes the event, after the response. */
function checkInvitation(
  { inviteToPay }: Deps,
  { tenantId, traceId }: Caller,
  { business_unit_id, transaction, locale: transaction_locale }: TransactionDraft,
  invitation: InvitationInput,
): Promise<undefined> {
  const { expires_at, reminder_at } = invitation
  const instants = { expires_at: expires_at?.toISOString(), reminder_at: reminder_at?.toISOString() }
  const payment_orchestrator_id = transaction.payment_orchestrator_id ?? null
  const invited = { ...invitation, ...instants }
  const body = { business_unit_id, payment_orchestrator_id, invitation: invited, transaction_locale }
  return inviteToPay.checkInvitation({ traceId }, { params: { tenant_id: tenantId }, body })
}

import { actorName, type Caller, type CallerWith } from '@payments/chassis/base/caller'
import { timeOfId } from '@payments/chassis/base/id'
import type { Pace } from '@payments/chassis/base/rates'
import { databaseNow } from '@payments/chassis/database/database-now'
import { begin, finish, unwrapResult } from '@payments/chassis/request/idempotency'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { Transaction } from '@payments/contracts/nouns/transaction'
import { type CreatedCode, type inviteToPay, problems } from '@payments/contracts/services/invite-to-pay/contract'
import { changeCode } from '../code/change-code.ts'
import { requirePage, requireTemplate } from '../code/check-invitation.ts'
import { beginCreation, releaseRejected } from '../code/creation-key.ts'
import { decryptLink } from '../code/link.ts'
import { newCodeSecret, storeCode } from '../code/store-code.ts'
import type { Deps } from '../deps.ts'
import { type CodeFacts, type CodeSnapshot, presentSnapshot } from '../domain/code.ts'
import { allows, columnsAfter, statusAt } from '../domain/code-state.ts'
import { payLink } from '../domain/code-value.ts'
import { type Lifetime, requireLifetime } from '../domain/lifetime.ts'
import { findCode, lockByTransaction } from '../store/codes.ts'
import type { Tx } from '../store/database.ts'

type Draft = RequestOf<typeof inviteToPay.endpoints.createCode>['body']

type TransactionPermission =
  | 'transaction:CreateTransaction'
  | 'transaction:CaptureTransaction'
  | 'transaction:ReadTransaction'
/** `pace`: of the invitations of a caller. */
type CreationDeps = Deps & { readonly pace: Pace }

type CodeCreator = CallerWith<TransactionPermission | 'invitetopay:RevealCode'>

/**
 * Creates a code, for a given transaction or for a new one. Two transactions: the first stores the id of the new
 * transaction under the Idempotency-Key, so a repeated request continues with the same transaction after a crash. The
 * second stores code and response. Every call of another service is between them, and can be repeated. A transaction
 * whose codes have ended gets a new one.
 * Throws permission_denied, invalid_request, idempotency problems, and the problems of the contract.
 */
export async function createCode(deps: CreationDeps, caller: CodeCreator, draft: Draft): Promise<CreatedCode> {
  requireOneTransaction(draft)
  // The page behind the link shows the transaction, and the caller chooses who gets the link.
  if (draft.transaction === undefined) requirePermission(caller, 'transaction:ReadTransaction')
  else {
    requirePermission(caller, 'transaction:CreateTransaction')
    requireCapturePermission(caller, draft, draft.transaction.capture)
  }
  const key = await beginCreation(deps, caller)
  if (key.state === 'completed') return replyAgain(deps, caller, unwrapResult(key.stored))
  const createdAt = new Date()
  const prepare = async () => ({
    lifetime: planLifetime(draft, createdAt, timeOfId(key.transactionId)),
    transaction: await (draft.transaction === undefined
      ? inviteToExisting(deps, caller, draft)
      : createTransaction(deps, caller, draft, draft.transaction, key.transactionId)),
  })
  const prepared = await prepare().catch(async (error: unknown) => {
    const isRejected = error instanceof Problem && error.status < 500
    if (isRejected && key.isFirst) await releaseRejected(deps, caller, key.transactionId)
    throw error
  })
  return store(deps, caller, { draft, ...prepared, createdAt })
}

/** `firstAt`: of the first request with the Idempotency-Key. A repeated one may come after the reminder. */
function planLifetime(draft: Draft, createdAt: Date, firstAt: Date): Lifetime {
  const reminderAt = draft.reminder_at ?? null
  const isOver = reminderAt !== null && reminderAt > firstAt && reminderAt <= createdAt
  const wanted = { expiresAt: draft.expires_at ?? null, reminderAt: isOver ? null : reminderAt }
  return requireLifetime(wanted, { createdAt, now: createdAt, changed: { expiresAt: true, reminderAt: true } })
}

function requireOneTransaction({ transaction_id: given, transaction }: Draft): void {
  if ((given === undefined) !== (transaction === undefined)) return
  const detail = 'must be given, or else transaction, but not both'
  throw new Problem(commonProblems.invalid_request, { errors: [{ pointer: '/transaction_id', detail }] })
}

function requirePermission(caller: CodeCreator, permission: TransactionPermission): void {
  if (caller.permissions.has(permission)) return
  throw new Problem(commonProblems.permission_denied, { detail: `The request needs ${permission}` })
}

/** The payer captures in the name of the caller, also when the transaction was created to be captured. */
function requireCapturePermission(caller: CodeCreator, { capture }: Draft, ofTransaction: boolean): void {
  if (capture ?? ofTransaction) requirePermission(caller, 'transaction:CaptureTransaction')
}

async function inviteToExisting(deps: Deps, caller: CodeCreator, draft: Draft): Promise<Transaction> {
  const { tenantId, traceId } = caller
  const { paymentProxy } = deps
  const params = { tenant_id: tenantId, transaction_id: draft.transaction_id ?? '' }
  const found = await paymentProxy.findTransaction({ traceId }, { params })
  requireCapturePermission(caller, draft, found.capture)
  await requireInvitable(deps, caller, draft, found)
  return paymentProxy.inviteToPay({ traceId }, { params })
}

async function createTransaction(
  deps: Deps,
  caller: Caller,
  draft: Draft,
  transaction: NonNullable<Draft['transaction']>,
  transactionId: string,
): Promise<Transaction> {
  const { tenantId, traceId } = caller
  const { payment_orchestrator_id = null } = transaction.transaction
  await requireInvitable(deps, caller, draft, { ...transaction, payment_orchestrator_id })
  const body = {
    transaction_id: transactionId,
    transaction: { ...transaction, capture: draft.capture ?? transaction.capture },
    invitation: {
      communication_type: draft.communication_type,
      recipient: draft.recipient,
      template_id: draft.template_id,
      communication_details: draft.communication_details,
      expires_at: draft.expires_at?.toISOString(),
      reminder_at: draft.reminder_at?.toISOString(),
      return_url: draft.return_url,
      locale: draft.locale,
    },
  }
  return deps.paymentProxy.createInvitedTransaction({ traceId }, { params: { tenant_id: tenantId }, body })
}

interface InvitedTransaction {
  readonly business_unit_id: string
  /** Null selects the default one. */
  readonly payment_orchestrator_id: string | null
  readonly locale?: string | null | undefined
}

async function requireInvitable(
  deps: Deps,
  caller: Caller,
  draft: Draft,
  { business_unit_id: unitId, payment_orchestrator_id: orchestratorId, locale = null }: InvitedTransaction,
): Promise<void> {
  requirePage(deps, await deps.businessUnits.requireActive(caller, unitId), orchestratorId)
  await requireTemplate(deps, caller, {
    businessUnitId: unitId,
    communicationType: draft.communication_type,
    templateId: draft.template_id ?? null,
    communicationDetails: draft.communication_details ?? {},
    locale: draft.locale ?? locale,
  })
}

interface Creation {
  readonly draft: Draft
  readonly transaction: Transaction
  readonly lifetime: Lifetime
  readonly createdAt: Date
}

async function store(
  deps: CreationDeps,
  caller: CodeCreator,
  { draft, transaction, lifetime, createdAt }: Creation,
): Promise<CreatedCode> {
  const { tenantId, traceId } = caller
  const secret = await newCodeSecret(deps.vault, tenantId)
  const invitation = {
    communication_type: draft.communication_type,
    recipient: draft.recipient,
    template_id: draft.template_id ?? null,
    communication_details: draft.communication_details ?? {},
    return_url: draft.return_url ?? null,
    locale: draft.locale ?? null,
  }
  const capture = draft.capture ?? transaction.capture
  const isTransactionOlder = draft.transaction === undefined
  const created = {
    tenantId,
    traceId,
    secret,
    transaction,
    invitation,
    lifetime,
    capture,
    isTransactionOlder,
    createdAt,
  }
  const reply = await deps.db.inTenant(tenantId, async (tx) => {
    const key = await begin(tx, caller, transaction.id)
    if (key.state === 'completed') return unwrapResult<StoredReply>(key.stored)
    const latest = await lockByTransaction(tx, tenantId, transaction.id)
    // The event of a new transaction may have created its code first, from the same invitation.
    const ofEvent = isTransactionOlder ? null : latest
    if (ofEvent === null && latest !== null) await requireEnded(tx, latest, traceId)
    const code = ofEvent ?? (await storeCode(tx, { ...created, waitMs: sendingWaitMs(deps, caller, lifetime) }))
    if (code === null) throw new Problem(problems.code_exists)
    const stored: StoredReply = { ...presentSnapshot(code), shown_to: actorName(caller.actor) }
    await finish(tx, caller, { kind: 'reply', value: stored })
    return stored
  })
  deps.sending.wake()
  if (reply.id !== secret.id) return replyAgain(deps, caller, reply)
  return { ...reply, url: payLink(deps.payBaseUrl, secret.value) }
}

/** How long the invitation waits for the pace of its creator: it is sent well before its reminder and its end. */
function sendingWaitMs(
  { pace }: CreationDeps,
  { tenantId, actor }: CodeCreator,
  { expiresAt, reminderAt }: Lifetime,
): number {
  const endMs = Math.min(expiresAt.getTime(), reminderAt?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now()
  return Math.min(pace(`${tenantId} ${actorName(actor)}`), Math.max(0, endMs / 2))
}

/** Records the end of a code that has just expired. Throws code_exists for a code that can still be paid. */
async function requireEnded(tx: Tx, code: CodeFacts, traceId: string): Promise<void> {
  if (!allows(code.status, 'expire')) return
  if (statusAt(code, await databaseNow(tx)) !== 'expired') throw new Problem(problems.code_exists)
  await changeCode(tx, code, columnsAfter('expire'), traceId)
}

/** `shown_to`: the actor that got the link with the first response. */
type StoredReply = CodeSnapshot & { readonly shown_to: string }

/** A repeated request gets the link if its actor got it before, or may reveal it. */
async function replyAgain(
  deps: Deps,
  { tenantId, actor, permissions }: CodeCreator,
  { shown_to: shownTo, ...snapshot }: StoredReply,
): Promise<CreatedCode> {
  if (shownTo !== actorName(actor) && !permissions.has('invitetopay:RevealCode')) return { ...snapshot, url: null }
  const code = await deps.db.readInTenant(tenantId, (tx) => findCode(tx, tenantId, snapshot.id))
  if (code === null) throw new Error(`the code ${snapshot.id} of a stored response does not exist`)
  return { ...snapshot, url: await decryptLink(deps, code) }
}

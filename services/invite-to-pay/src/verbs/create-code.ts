import type { Caller, CallerWith } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { begin, finish, replyOf } from '@payments/chassis/request/idempotency'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { Transaction } from '@payments/contracts/nouns/transaction'
import { type CodeWithLink, type inviteToPay, problems } from '@payments/contracts/services/invite-to-pay/contract'
import { requirePage, requireTemplate } from '../code/check-invitation.ts'
import { decryptLink } from '../code/link.ts'
import { newCodeSecret, storeCode } from '../code/store-code.ts'
import type { Deps } from '../deps.ts'
import { type CodeFacts, type CodeSnapshot, presentSnapshot } from '../domain/code.ts'
import { linkOf } from '../domain/code-value.ts'
import { type Lifetime, requireLifetime } from '../domain/lifetime.ts'
import { findByTransaction, findCode } from '../store/codes.ts'
import { deleteUnfinished } from '../store/idempotency-keys.ts'

type Draft = RequestOf<typeof inviteToPay.endpoints.createCode>['body']

type TransactionPermission = 'transaction:CreateTransaction' | 'transaction:CaptureTransaction'
type CodeCreator = CallerWith<TransactionPermission>

/**
 * Creates a code, for a given transaction or for a new one. Two transactions: the first stores the id of the new
 * transaction under the Idempotency-Key, so a repeated request continues with the same transaction after a crash. The
 * second stores code and response. Every call of another service is between them, and can be repeated.
 * Throws permission_denied, invalid_request, idempotency problems, and the problems of the contract.
 */
export async function createCode(deps: Deps, caller: CodeCreator, draft: Draft): Promise<CodeWithLink> {
  requireOneTransaction(draft)
  if (draft.transaction !== undefined) {
    requirePermission(caller, 'transaction:CreateTransaction')
    requireCapturePermission(caller, draft, draft.transaction.capture)
  }
  const { tenantId } = caller
  const createdAt = new Date()
  const wanted = { expiresAt: draft.expires_at ?? null, reminderAt: draft.reminder_at ?? null }
  const changed = { expiresAt: true, reminderAt: true }
  const lifetime = requireLifetime(wanted, { createdAt, now: createdAt, changed })
  const newTransactionId = newId()
  const key = await deps.db.inTenant(tenantId, (tx) => begin(tx, caller, newTransactionId))
  if (key.state === 'completed') return withLink(deps, tenantId, replyOf<CodeSnapshot>(key.stored))
  const transactionId = (key.state === 'unfinished' ? key.reference : null) ?? newTransactionId
  try {
    const transaction =
      draft.transaction === undefined
        ? await inviteToExisting(deps, caller, draft)
        : await createTransaction(deps, caller, draft, draft.transaction, transactionId)
    return await store(deps, caller, { draft, transaction, lifetime, createdAt })
  } catch (error) {
    const isRejected = error instanceof Problem && error.status < 500
    if (isRejected) await deps.db.inTenant(tenantId, (tx) => deleteUnfinished(tx, tenantId, caller))
    throw error
  }
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
  const { business_unit_id: unitId, payment_orchestrator_id: orchestratorId, capture, locale } = found
  requireCapturePermission(caller, draft, capture)
  await requireInvitable(deps, caller, draft, { unitId, orchestratorId, locale: locale ?? null })
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
  const orchestratorId = transaction.transaction.payment_orchestrator_id ?? null
  const { business_unit_id: unitId, locale = null } = transaction
  await requireInvitable(deps, caller, draft, { unitId, orchestratorId, locale })
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
  readonly unitId: string
  /** Null selects the default one. */
  readonly orchestratorId: string | null
  readonly locale: string | null
}

async function requireInvitable(
  deps: Deps,
  caller: Caller,
  draft: Draft,
  { unitId, orchestratorId, locale }: InvitedTransaction,
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
  deps: Deps,
  caller: Caller,
  { draft, transaction, lifetime, createdAt }: Creation,
): Promise<CodeWithLink> {
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
  const created = { tenantId, traceId, secret, transaction, invitation, lifetime, capture, createdAt }
  const snapshot = await deps.db.inTenant(tenantId, async (tx) => {
    const key = await begin(tx, caller, transaction.id)
    if (key.state === 'completed') return replyOf<CodeSnapshot>(key.stored)
    // The event of a new transaction may have created its code first, from the same invitation.
    const stored = (await storeCode(tx, created)) ?? (await codeOfEvent(tx, tenantId, draft, transaction.id))
    const reply = presentSnapshot(stored)
    await finish(tx, caller, { kind: 'reply', value: reply })
    return reply
  })
  deps.sending.wake()
  return snapshot.id === secret.id
    ? { ...snapshot, url: linkOf(deps.payBaseUrl, secret.value) }
    : withLink(deps, tenantId, snapshot)
}

async function codeOfEvent(
  tx: Parameters<typeof findByTransaction>[0],
  tenantId: string,
  draft: Draft,
  transactionId: string,
): Promise<CodeFacts> {
  const code = draft.transaction === undefined ? null : await findByTransaction(tx, tenantId, transactionId)
  if (code === null) throw new Problem(problems.code_exists)
  return code
}

async function withLink(deps: Deps, tenantId: string, snapshot: CodeSnapshot): Promise<CodeWithLink> {
  const code = await deps.db.readInTenant(tenantId, (tx) => findCode(tx, tenantId, snapshot.id))
  if (code === null) throw new Error(`the code ${snapshot.id} of a stored response does not exist`)
  return { ...snapshot, url: await decryptLink(deps, code) }
}

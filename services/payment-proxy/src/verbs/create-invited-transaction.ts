import type { RequestOf } from '@payments/contracts/grammar/contract'
import { Problem } from '@payments/contracts/grammar/problem'
import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import type { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import { presentTransaction } from '../domain/transaction.ts'
import { invitationFrom, transactionFrom } from '../domain/transaction-draft.ts'
import { accessBooks, changeBooks } from '../operation/books.ts'
import { unitForDraft } from '../operation/current-unit.ts'
import { creationEvent } from '../operation/event.ts'

type Body = RequestOf<typeof paymentProxy.endpoints.createInvitedTransaction>['body']

/**
 * Creates a transaction once per id; later calls return it as it is now. Throws business_unit_not_found,
 * business_unit_deleted, payment_orchestrator_unusable, test_mode_not_allowed, invalid_request, amount_mismatch,
 * external_reference_taken.
 */
export async function createInvitedTransaction(
  deps: Deps,
  context: { tenantId: string; traceId: string },
  { transaction_id: id, transaction: draft, invitation }: Body,
): Promise<TransactionReply> {
  const { tenantId } = context
  const unit = await unitForDraft(deps, context, draft, undefined)
  const access = accessBooks(deps.db, tenantId)
  const stored = await changeBooks(deps, access, { transactionId: id }, ({ aggregate }) => {
    if (aggregate !== null) return { aggregate, change: null }
    const now = deps.now()
    const created = { id, now, invitation: invitationFrom(invitation), acceptsTestMode: deps.acceptsTestMode }
    const after = { transaction: inBody(() => transactionFrom(draft, unit, undefined, created)), operations: [] }
    return { aggregate: after, change: { before: null, after }, event: creationEvent(after, context, now) }
  })
  if (stored === null) throw new Error(`transaction ${id} was neither found nor created`)
  return presentTransaction(stored.aggregate, deps.now())
}

/** The draft is a member of the body, so its errors get the pointer of this member. */
function inBody<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Problem) || error.options.errors === undefined) throw error
    const errors = error.options.errors.map((one) => ({ ...one, pointer: `/transaction${one.pointer}` }))
    throw new Problem(error, { ...error.options, errors })
  }
}

import { endOfCurrency } from '@payments/contracts/grammar/currency'
import { Problem } from '@payments/contracts/grammar/problem'
import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import type { UnitCopy } from '@payments/contracts/services/business-unit/unit-copy'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import { allowedActions } from '../domain/action.ts'
import { isOpen } from '../domain/operation.ts'
import { deriveStatus } from '../domain/status.ts'
import { presentTransaction, type TransactionAggregate } from '../domain/transaction.ts'
import { accessBooks, changeBooks, requireFound } from '../operation/books.ts'
import { requireUsable, unitFor } from '../operation/current-unit.ts'
import { requireTransaction } from '../store/transactions.ts'

/**
 * Marks a transaction as paid by invitation. Throws transaction_not_found, transaction_not_payable,
 * payment_orchestrator_unusable, test_mode_not_allowed, business_unit_not_found, service_unavailable.
 */
export async function inviteToPay(
  deps: Deps,
  context: { readonly tenantId: string; readonly traceId: string },
  transactionId: string,
): Promise<TransactionReply> {
  const { tenantId } = context
  const found = await deps.db.readInTenant(tenantId, (tx) => requireTransaction(tx, tenantId, transactionId))
  const requireAccepted = (copy: UnitCopy) => requireUsable(deps, copy, found, undefined)
  const unit = await unitFor(deps, context, found.businessUnitId, requireAccepted)
  const access = accessBooks(deps.db, tenantId)
  const invited = await changeBooks(deps, access, { transactionId }, (books) => {
    const before = requireFound(books).aggregate
    const { transaction, operations } = before
    const now = deps.now()
    requirePayable(before, now)
    requireAccepted(unit)
    if (transaction.i2p) return { aggregate: before, change: null }
    const paidByInvitation = { ...transaction, i2p: true, version: transaction.version + 1, updatedAt: now }
    const after = { transaction: paidByInvitation, operations }
    return { aggregate: after, change: { before, after } }
  })
  if (invited === null) throw new Problem(problems.transaction_not_payable, { detail: 'Other requests change it' })
  return presentTransaction(invited.aggregate, deps.now())
}

function requirePayable(aggregate: TransactionAggregate, now: Date): void {
  const { operations, transaction } = aggregate
  const open = operations.find(isOpen)
  const ended = endOfCurrency(transaction.currency, now)
  if (ended !== undefined) {
    const detail = `The currency of the transaction, ${transaction.currency}, ended on ${ended}`
    throw new Problem(problems.transaction_not_payable, { detail })
  }
  if (open === undefined && allowedActions(aggregate, now).includes('complete')) return
  const detail =
    open === undefined
      ? `The transaction is ${deriveStatus(operations)} and cannot be authorized`
      : `The ${open.type} ${open.id} of the transaction is in progress`
  throw new Problem(problems.transaction_not_payable, { detail })
}

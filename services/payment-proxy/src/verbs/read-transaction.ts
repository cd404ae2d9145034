import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import { presentTransaction } from '../domain/transaction.ts'
import { snapshot } from '../store/database.ts'
import { findShown } from '../store/shown-transactions.ts'

/** Throws transaction_not_found. */
export async function readTransaction(deps: Deps, caller: Caller, transactionId: string): Promise<TransactionReply> {
  const { tenantId } = caller
  const transaction = await deps.db.inTenant(tenantId, (tx) => findShown(tx, tenantId, transactionId), snapshot)
  if (transaction === null) throw new Problem(problems.transaction_not_found)
  return presentTransaction(transaction, deps.now())
}

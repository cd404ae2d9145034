import type { Caller } from '@payments/chassis/caller'
import { newId } from '@payments/chassis/id'
import { once } from '@payments/chassis/idempotency'
import type { Transaction as TransactionReply } from '@payments/contracts/payment-proxy'
import type { Deps } from '../deps.ts'
import { type Creation, transactionFrom } from '../domain/creation.ts'
import { presentTransaction } from '../domain/transaction.ts'
import { openTransaction } from '../operation/open.ts'

/** Nothing is charged yet. Throws invalid_request, amount_mismatch, external_reference_taken. */
export function createTransaction(deps: Deps, caller: Caller, creation: Creation): Promise<TransactionReply> {
  return once(deps.db, caller, async (tx) => {
    const now = deps.now()
    const transaction = transactionFrom(creation, { id: newId(), tenantId: caller.tenantId, now })
    return presentTransaction(await openTransaction(tx, caller, transaction, now), now)
  })
}

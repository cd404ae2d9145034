import { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import type { PayerEraser } from '@payments/service/payers/erasures'
import type { RetainedRows } from '@payments/service/payers/retention'
import type { Tx } from '../store/database.ts'
import { eraseTransactions, hasPayer, redactTransactions } from '../store/payers.ts'

const rowsMax = 200

export const transactionEraser: PayerEraser<Tx> = {
  service: 'payment-proxy',
  events: paymentProxy.internalEvents,
  eraseBatch: async (tx, erasure) => {
    const { ids, position } = await eraseTransactions(tx, { ...erasure, limit: rowsMax })
    return { resources: ids.length, position }
  },
}

/** Transactions with data of a customer, by their last change. */
export const retainedTransactions: RetainedRows<Tx> = {
  table: 'transactions',
  condition: hasPayer,
  column: 'updated_at',
  redact: redactTransactions,
}

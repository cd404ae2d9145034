import { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import type { RetainedRows } from '@payments/payer-erasure/retention'
import type { ErasureJob } from '@payments/payer-erasure/run-erasures'
import type { Tx } from '../store/database.ts'
import { eraseTransactions, hasPayer, redactTransactions } from '../store/payers.ts'

const rowsMax = 200

export const erasureJob: ErasureJob<Tx> = {
  service: 'payment-proxy',
  events: paymentProxy.internalEvents,
  steps: [
    async (tx, erasure) => {
      const { ids, position } = await eraseTransactions(tx, { ...erasure, limit: rowsMax })
      return { resourceIds: ids, position }
    },
  ],
}

/** Transactions with data of a customer, by their last change. */
export const retainedTransactions: RetainedRows<Tx> = {
  table: 'transactions',
  condition: hasPayer,
  column: 'updated_at',
  redact: redactTransactions,
}

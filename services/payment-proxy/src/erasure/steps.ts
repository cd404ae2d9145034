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
    async (tx, { tenantId, ...payer }) => {
      const resourceIds = await eraseTransactions(tx, tenantId, payer, rowsMax)
      return { resourceIds, position: resourceIds.length < rowsMax ? null : 'more' }
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

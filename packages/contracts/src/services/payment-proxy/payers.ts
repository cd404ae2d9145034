import { exportOf } from '../../endpoints/payer-export.ts'
import { transaction } from '../../nouns/transaction.ts'

/** For operators: what the service stores about one payer of a tenant. */
export const payerEndpoints = {
  exportPayer: exportOf(transaction, 'List the transactions of a payer: by email address, phone number or recipient.'),
} as const

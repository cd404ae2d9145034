import { exportEndpoint } from '../../endpoints/payer-export.ts'
import { transaction } from '../../nouns/transaction.ts'

/** For operators: what the service stores about one payer of a tenant. */
export const payerEndpoints = {
  exportPayer: exportEndpoint(
    transaction,
    'List the transactions of a payer: by email address, phone number or recipient.',
  ),
} as const

import { z } from 'zod'
import { uuid } from '../grammar/field.ts'
import { defineProblems } from '../grammar/problem.ts'

/** Problems of transactions, which payment-proxy and invite-to-pay share. */
export const transactionProblems = defineProblems({
  transaction_not_found: {
    status: 404,
    title: 'Transaction not found',
    explanation: 'The tenant has no transaction with this id.',
  },
  amount_mismatch: {
    status: 400,
    title: 'The amount is not the sum of the items',
    explanation: '`amount` must equal the sum of `unit_amount` × `quantity` over the items, in minor units.',
  },
  external_reference_taken: {
    status: 409,
    title: 'External reference already in use',
    explanation:
      'Another transaction of the business unit has this `external_reference`. `transaction_id` names that transaction. A void before an authorization makes the reference free.',
    members: z.object({ transaction_id: uuid.describe('Transaction that has the reference.') }),
  },
  payment_orchestrator_unusable: {
    status: 422,
    title: 'The payment orchestrator cannot be used',
    explanation:
      '`detail` gives the reason: it is unknown in the business unit, inactive or deleted, or does not accept the currency or the payment method; or the business unit has no default.',
  },
  transaction_not_payable: {
    status: 409,
    title: 'The transaction cannot be paid by invitation',
    explanation:
      'Only a transaction that is pending or failed, without an open operation and in a currency in circulation, can get an invitation.',
  },
})

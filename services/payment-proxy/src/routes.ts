import type { Handlers } from '@payments/chassis/router'
import type { paymentProxy } from '@payments/contracts/payment-proxy'
import type { Deps } from './deps.ts'
import { captureTransaction } from './verbs/capture-transaction.ts'
import { completeTransaction } from './verbs/complete-transaction.ts'
import { createAndAuthorizeTransaction } from './verbs/create-and-authorize-transaction.ts'
import { createTransaction } from './verbs/create-transaction.ts'
import { listOperations } from './verbs/list-operations.ts'
import { listTransactions } from './verbs/list-transactions.ts'
import { readTransaction } from './verbs/read-transaction.ts'
import { refundTransaction } from './verbs/refund-transaction.ts'
import { syncTransaction } from './verbs/sync-transaction.ts'
import { voidTransaction } from './verbs/void-transaction.ts'

export const routes = (deps: Deps): Handlers<typeof paymentProxy> => ({
  createTransaction: (caller, { body }) => createTransaction(deps, caller, body),
  createAndAuthorizeTransaction: (caller, { body }) => createAndAuthorizeTransaction(deps, caller, body),
  listTransactions: (caller, { query }) => listTransactions(deps, caller, query),
  readTransaction: (caller, { params }) => readTransaction(deps, caller, params.transaction_id),
  listOperations: (caller, { params, query }) => listOperations(deps, caller, params.transaction_id, query),
  completeTransaction: (caller, { params, body }) => completeTransaction(deps, caller, params.transaction_id, body),
  captureTransaction: (caller, { params, body }) =>
    captureTransaction(deps, caller, params.transaction_id, { amount: body.amount, final: body.final_capture }),
  voidTransaction: (caller, { params, body }) => voidTransaction(deps, caller, params.transaction_id, body.reason),
  refundTransaction: (caller, { params, body }) => refundTransaction(deps, caller, params.transaction_id, body),
  syncTransaction: (caller, { params }) => syncTransaction(deps, caller, params.transaction_id),
})

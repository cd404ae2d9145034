import { Problem } from '@payments/contracts/grammar/problem'
import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import { isLeased, isOpen, type Operation } from '../domain/operation.ts'
import { presentTransaction, type TransactionAggregate } from '../domain/transaction.ts'
import { claimOperation } from '../operation/claim.ts'
import { executeOperation, resumeOperation } from '../operation/execute.ts'
import type { Execution } from '../operation/start.ts'

interface InvitedPayment {
  readonly tenantId: string
  readonly transactionId: string
  readonly paymentId: string
}

/** Requests the outcome of a payment from the provider, unless it has one. Throws transaction_not_found, operation_not_found. */
export async function syncInvitedPayment(deps: Deps, payment: InvitedPayment): Promise<TransactionReply> {
  return resolve(deps, payment, isOpen, (execution) => resumeOperation(deps, execution))
}

/**
 * Cancels a payment that waits for the payer at the provider, whose outcome decides. A payment in another state is not
 * changed. Throws transaction_not_found, operation_not_found.
 */
export async function cancelInvitedPayment(deps: Deps, payment: InvitedPayment): Promise<TransactionReply> {
  const waits = ({ state }: Operation) => state === 'action_required'
  return resolve(deps, payment, waits, (execution) =>
    executeOperation(deps, execution, { kind: 'cancel', reason: 'requested' }),
  )
}

async function resolve(
  deps: Deps,
  { tenantId, transactionId, paymentId }: InvitedPayment,
  applies: (operation: Operation) => boolean,
  work: (execution: Execution) => Promise<{ readonly aggregate: TransactionAggregate }>,
): Promise<TransactionReply> {
  const { aggregate, claimed, orchestrator } = await claimOperation(deps, { tenantId, transactionId }, (operations) => {
    const found = operations.find(({ id }) => id === paymentId)
    if (found === undefined) throw new Problem(problems.operation_not_found)
    return applies(found) && !isLeased(found, deps.now()) ? found : undefined
  })
  const resolved =
    claimed === null ? aggregate : (await work({ aggregate, operation: claimed, orchestrator })).aggregate
  return presentTransaction(resolved, deps.now())
}

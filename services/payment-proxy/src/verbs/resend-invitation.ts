import type { CallerWith } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { begin, finish, type KeyState, lockIdempotencyKey, unwrapResult } from '@payments/chassis/request/idempotency'
import { Problem } from '@payments/contracts/grammar/problem'
import type { PartlyShownTransaction, Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import { presentPartly, presentTransaction, type TransactionAggregate } from '../domain/transaction.ts'
import { accessBooksWithin, readBooks, requireFound } from '../operation/books.ts'
import type { Tx } from '../store/database.ts'

type Resender = CallerWith<'transaction:ReadTransaction'>

/**
 * Sends the invitation of a transaction again. The Idempotency-Key refers to the `resend_id`, with which a repeated
 * request reaches invite-to-pay again: invite-to-pay sends once per id. Throws transaction_not_found, code_not_found,
 * code_not_active, resend_too_soon, resend_limit_reached, service_unavailable.
 */
export async function resendInvitation(
  deps: Deps,
  caller: Resender,
  transactionId: string,
): Promise<PartlyShownTransaction> {
  return presentPartly(await resend(deps, caller, transactionId), caller.permissions)
}

async function resend(deps: Deps, caller: Resender, transactionId: string): Promise<TransactionReply> {
  const { tenantId, traceId } = caller
  const newResendId = newId()
  const first = await deps.db.inTenant(tenantId, async (tx) => {
    const key = await begin(tx, caller, newResendId)
    if (key.state === 'new') await requireInvited(tx, tenantId, transactionId)
    return key
  })
  if (first.state === 'completed') return unwrapResult(first.stored)
  const resend_id = requireResendId(first, newResendId)
  const params = { tenant_id: tenantId, transaction_id: transactionId }
  await deps.inviteToPay.resendCode({ traceId }, { params, body: { resend_id } })
  return deps.db.inTenant(tenantId, async (tx) => {
    await lockIdempotencyKey(tx, caller)
    // Another request with the key may have stored its response.
    const again = await begin(tx, caller, resend_id)
    if (again.state === 'completed') return unwrapResult(again.stored)
    const value = presentTransaction(await requireInvited(tx, tenantId, transactionId), deps.now())
    await finish(tx, caller, { kind: 'reply', value })
    return value
  })
}

function requireResendId(key: Exclude<KeyState, { state: 'completed' }>, newResendId: string): string {
  if (key.state === 'new') return newResendId
  if (key.reference === null) throw new Error('the idempotency key refers to no message')
  return key.reference
}

async function requireInvited(tx: Tx, tenantId: string, transactionId: string): Promise<TransactionAggregate> {
  const { aggregate } = requireFound(await readBooks(accessBooksWithin(tx, tenantId), { transactionId }))
  if (!aggregate.transaction.i2p) throw new Problem(problems.code_not_found)
  return aggregate
}

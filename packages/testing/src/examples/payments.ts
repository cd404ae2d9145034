import { randomUUID } from 'node:crypto'
import { withClient } from '@payments/devkit/servers/databases'
import { findExample, type Recorder } from './recorder.ts'
import type { Scenario } from './scenario.ts'

const references = ['order-4712', 'order-4713', 'order-4714'] as const

/** Transactions from the authorization to the refund, and one whose outcome a person decides. */
export async function recordPayments(scenario: Scenario): Promise<void> {
  const { recorder, unitId } = scenario
  const creation = { ...findExample('createTransaction'), business_unit_id: unitId }
  const payment = { ...findExample('createAndAuthorizeTransaction'), business_unit_id: unitId }
  const paid = await recorder.record('createAndAuthorizeTransaction', { body: payment })
  const path = { transaction_id: paid.id }
  await recorder.record('readTransaction', { path })
  await recorder.reject('external_reference_taken', 'createAndAuthorizeTransaction', { body: payment })
  await recorder.reject('amount_exceeds_capturable', 'captureTransaction', { path, body: { amount: 1_000_000 } })
  await recorder.record('captureTransaction', { path })
  await recorder.reject('amount_exceeds_refundable', 'refundTransaction', { path, body: { amount: 1_000_000 } })
  await recorder.reject('invalid_transaction_state', 'voidTransaction', { path })
  await recorder.record('refundTransaction', { path })
  await recorder.record('listOperations', { path, query: { limit: 2 } })
  await recorder.record('listSandboxOperations', { query: { limit: 2, transaction_id: paid.id } })
  await recorder.record('syncTransaction', { path })
  await recorder.reject('transaction_not_found', 'readTransaction', { path: { transaction_id: randomUUID() } })
  const pending = await recorder.record('createTransaction', {
    body: { ...creation, external_reference: references[0] },
  })
  await recorder.record('completeTransaction', { path: { transaction_id: pending.id } })
  const other = { ...payment, external_reference: references[1] }
  const authorized = await recorder.send('createAndAuthorizeTransaction', { body: other })
  await recorder.record('voidTransaction', { path: { transaction_id: authorized.id } })
  await rejectPayments(recorder, payment)
  await recordResolution(scenario, payment)
  await recorder.record('listTransactions', { query: { limit: 2 } })
}

async function rejectPayments(recorder: Recorder, payment: any): Promise<void> {
  const { external_reference: _, ...unnamed } = payment
  const by = (token: string) => ({
    body: { ...unnamed, payment_details: { payment_method: 'CREDIT_CARD', cc_token: `tok_sandbox_${token}` } },
  })
  await recorder.reject('payment_declined', 'createAndAuthorizeTransaction', by('insufficient_funds'))
  await recorder.reject('provider_unreachable', 'createAndAuthorizeTransaction', by('unreachable'))
  await recorder.reject('unknown_payment_token', 'createAndAuthorizeTransaction', by('unknown'))
  await recorder.reject('amount_mismatch', 'createAndAuthorizeTransaction', { body: { ...unnamed, amount: 1 } })
  await recorder.reject('raw_card_data_not_allowed', 'createAndAuthorizeTransaction', {
    body: { ...unnamed, metadata: { note: ['4242', '4242', '4242', '4242'].join(' ') } },
  })
}

/** An outcome that is unknown for a day: the clock of the platform is the real one, so the database is put back. */
async function recordResolution({ recorder, paymentsDatabaseUrl }: Scenario, payment: any): Promise<void> {
  const payment_details = { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_unknown_forever' }
  const body = { ...payment, external_reference: references[2], payment_details }
  const { id: transaction_id, pending_operation } = await recorder.send('createAndAuthorizeTransaction', { body })
  await withClient(paymentsDatabaseUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    await owner.query(`UPDATE operations SET created_at = now() - interval '25 h' WHERE transaction_id = $1`, [
      transaction_id,
    ])
  })
  await recorder.record('resolveOperation', { path: { transaction_id, operation_id: pending_operation.id } })
}

import { randomUUID } from 'node:crypto'
import { findExample } from './recorder.ts'
import type { Scenario } from './scenario.ts'

const twoWeeksMs = 14 * 24 * 60 * 60 * 1_000

/** An invitation to pay, from the code to its cancellation. */
export async function recordInvitations({ recorder, unitId }: Scenario): Promise<void> {
  const creation = findExample('createCode')
  const body = { ...creation, transaction: { ...creation.transaction, business_unit_id: unitId } }
  const { id: code_id, transaction_id } = await recorder.record('createCode', { body })
  const path = { code_id }
  await recorder.recordWhen('readCode', { path }, ({ last_sent_at }) => last_sent_at !== null)
  await recorder.record('revealCode', { path })
  await recorder.record('listCodes', { query: { limit: 2 } })
  const expires_at = new Date(Date.now() + twoWeeksMs).toISOString()
  await recorder.record('updateCode', { path, body: { expires_at } })
  await recorder.reject('code_exists', 'createCode', { body: { ...body, transaction: undefined, transaction_id } })
  await recorder.recordAfter(409, 'resendInvitation', { path: { transaction_id } })
  await recorder.record('cancelCode', { path })
  await recorder.reject('code_not_active', 'cancelCode', { path })
  await recorder.reject('code_not_found', 'readCode', { path: { code_id: randomUUID() } })
}

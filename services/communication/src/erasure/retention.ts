import { erased } from '@payments/contracts/nouns/payer-erasure'
import type { RetainedRows } from '@payments/payer-erasure/retention'
import type { Tx } from '../store/database.ts'
import { redactCommunications } from '../store/payers.ts'

/** Ended messages, by their request. */
export const retainedMessages: RetainedRows<Tx> = {
  table: 'communications',
  condition: `status <> 'queued' AND recipient <> '${erased}'`,
  column: 'created_at',
  redact: redactCommunications,
}

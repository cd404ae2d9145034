import type { CallerWith } from '@payments/chassis/base/caller'
import { missingPayloadPermission } from '@payments/contracts/edges/payload-permissions'
import type { WholeDeadLetter } from '@payments/contracts/services/webhooks/dead-letters'
import type { PayloadPermission } from '@payments/contracts/services/webhooks/payload'
import type { Deps } from '../deps.ts'
import { withoutPayload } from '../domain/delivery.ts'
import { readLetter } from '../store/read-letter.ts'

/** Throws dead_letter_not_found. */
export async function readDeadLetter(
  deps: Deps,
  { tenantId, permissions }: CallerWith<PayloadPermission>,
  id: string,
): Promise<WholeDeadLetter> {
  const { tenant_id: _, ...letter } = await readLetter(deps.db, tenantId, id)
  const missing = missingPayloadPermission(letter.event_type, permissions)
  if (missing === null) return { ...letter, missing_permission: null }
  const response = letter.response === null ? null : { ...letter.response, body: null }
  return { ...withoutPayload(letter), response, missing_permission: missing }
}

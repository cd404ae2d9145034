import type { CallerWith } from '@payments/chassis/base/caller'
import { missingPayloadPermission } from '@payments/contracts/edges/payload-permissions'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import type { InspectedDeadLetter, WholeDeadLetter } from '@payments/contracts/services/webhooks/dead-letters'
import type { PayloadPermission } from '@payments/contracts/services/webhooks/payload'
import type { Deps } from '../deps.ts'
import { presentDeadLetterDetail } from '../domain/dead-letter.ts'
import { withoutPayload } from '../domain/delivery.ts'
import { inScope } from '../store/database.ts'
import { findDeadLetter } from '../store/dead-letters.ts'
import { listLatestAttempts } from '../store/deliveries.ts'

/** Throws dead_letter_not_found. */
export async function readDeadLetter(
  deps: Deps,
  { tenantId, permissions }: CallerWith<PayloadPermission>,
  id: string,
): Promise<WholeDeadLetter> {
  const { tenant_id: _, ...letter } = await inspectDeadLetter(deps, tenantId, id)
  const missing = missingPayloadPermission(letter.event_type, permissions)
  if (missing === null) return { ...letter, missing_permission: null }
  const response = letter.response === null ? null : { ...letter.response, body: null }
  return { ...withoutPayload(letter), response, missing_permission: missing }
}

/** `tenantId` null: a dead letter of any tenant. Throws dead_letter_not_found. */
export function inspectDeadLetter(deps: Deps, tenantId: string | null, id: string): Promise<InspectedDeadLetter> {
  return inScope(deps.db, tenantId, async (tx) => {
    const letter = await findDeadLetter(tx, tenantId, id)
    if (letter === undefined) throw new Problem(problems.dead_letter_not_found)
    return presentDeadLetterDetail(letter, await listLatestAttempts(tx, letter.tenantId, id))
  })
}

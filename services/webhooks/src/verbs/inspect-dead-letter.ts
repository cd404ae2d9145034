import type { InspectedDeadLetter } from '@payments/contracts/services/webhooks/dead-letters'
import type { Deps } from '../deps.ts'
import { readLetter } from '../store/read-letter.ts'

/** A dead letter of any tenant, for operators. Throws dead_letter_not_found. */
export function inspectDeadLetter(deps: Deps, id: string): Promise<InspectedDeadLetter> {
  return readLetter(deps.db, null, id)
}

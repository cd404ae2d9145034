import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import type { WholeDeadLetter } from '@payments/contracts/services/webhooks/dead-letters'
import type { Deps } from '../deps.ts'
import { presentDeadLetterDetail } from '../domain/dead-letter.ts'
import { inScope } from '../store/database.ts'
import { findDeadLetter } from '../store/dead-letters.ts'
import { listLatestAttempts } from '../store/deliveries.ts'

/** `tenantId` null: a dead letter of any tenant. Throws dead_letter_not_found. */
export function readDeadLetter(deps: Deps, tenantId: string | null, id: string): Promise<WholeDeadLetter> {
  return inScope(deps.db, tenantId, async (tx) => {
    const letter = await findDeadLetter(tx, tenantId, id)
    if (letter === undefined) throw new Problem(problems.dead_letter_not_found)
    return presentDeadLetterDetail(letter, await listLatestAttempts(tx, letter.tenantId, id))
  })
}

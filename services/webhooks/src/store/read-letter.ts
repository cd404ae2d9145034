import type { Transactions } from '@payments/chassis/database/transaction'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import type { InspectedDeadLetter } from '@payments/contracts/services/webhooks/dead-letters'
import { presentDeadLetterDetail } from '../domain/dead-letter.ts'
import { inScope, type Tx } from './database.ts'
import { findDeadLetter } from './dead-letters.ts'
import { listLatestAttempts } from './deliveries.ts'

/** A dead letter with its attempts; `tenantId` null: of any tenant. Throws dead_letter_not_found. */
export function readLetter(db: Transactions<Tx>, tenantId: string | null, id: string): Promise<InspectedDeadLetter> {
  return inScope(db, tenantId, async (tx) => {
    const letter = await findDeadLetter(tx, tenantId, id)
    if (letter === undefined) throw new Problem(problems.dead_letter_not_found)
    return presentDeadLetterDetail(letter, await listLatestAttempts(tx, letter.tenantId, id))
  })
}

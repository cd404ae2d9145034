import { changeCode } from '../code/change-code.ts'
import { inRounds } from '../code/rounds.ts'
import type { Deps } from '../deps.ts'
import { columnsAfter } from '../domain/code-state.ts'
import { lockOrphaned } from '../store/due-codes.ts'

const bounds = { batchSize: 50, batchesMax: 20 }

/**
 * Cancels active codes of deleted business units and payment orchestrators, up to a limit per run. Each batch is one
 * transaction.
 */
export function cancelOrphanedCodes({ db }: Pick<Deps, 'db'>): Promise<void> {
  return inRounds(bounds, (batch) =>
    db.acrossTenants(async (tx) => {
      const orphaned = await lockOrphaned(tx, batch)
      for (const code of orphaned) await changeCode(tx, code, columnsAfter('cancelByRequest'), code.traceId)
      return orphaned
    }),
  )
}

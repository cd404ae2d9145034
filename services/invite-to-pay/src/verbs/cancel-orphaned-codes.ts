import { emitCode } from '../code/emit-code.ts'
import { inRounds } from '../code/rounds.ts'
import type { Deps } from '../deps.ts'
import { columnsAfter } from '../domain/code-state.ts'
import { change } from '../store/codes.ts'
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
      for (const { tenantId, id, traceId } of orphaned) {
        const code = await change(tx, tenantId, id, columnsAfter('cancelByRequest'))
        await emitCode(tx, 'invite-to-pay.codes.cancel', code, traceId)
      }
      return orphaned
    }),
  )
}

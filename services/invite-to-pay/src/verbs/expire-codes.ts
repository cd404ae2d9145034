import { emitCode } from '../code/emit-code.ts'
import { inRounds } from '../code/rounds.ts'
import type { Deps } from '../deps.ts'
import { columnsAfter } from '../domain/code-state.ts'
import { change } from '../store/codes.ts'
import { lockExpired } from '../store/due-codes.ts'

const bounds = { batchSize: 50, batchesMax: 20 }

/** Records the end of active codes, up to a limit per run. Each batch is one transaction. */
export function expireCodes({ db }: Pick<Deps, 'db'>): Promise<void> {
  return inRounds(bounds, (batch) =>
    db.acrossTenants(async (tx) => {
      const expired = await lockExpired(tx, batch)
      for (const { tenantId, id, traceId } of expired) {
        const code = await change(tx, tenantId, id, columnsAfter('expire'))
        await emitCode(tx, 'invite-to-pay.codes.update', code, traceId)
      }
      return expired
    }),
  )
}

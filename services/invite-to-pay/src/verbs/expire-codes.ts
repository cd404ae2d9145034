import { changeCode } from '../code/change-code.ts'
import { inRounds } from '../code/rounds.ts'
import type { Deps } from '../deps.ts'
import { columnsAfter } from '../domain/code-state.ts'
import { lockExpired } from '../store/due-codes.ts'

const bounds = { batchSize: 50, batchesMax: 20 }

/** Records the end of active codes, up to a limit per run. Each batch is one transaction. */
export function expireCodes({ db }: Pick<Deps, 'db'>): Promise<void> {
  return inRounds(bounds, (batch) =>
    db.acrossTenants(async (tx) => {
      const expired = await lockExpired(tx, batch)
      for (const code of expired) await changeCode(tx, code, columnsAfter('expire'), code.traceId)
      return expired
    }),
  )
}

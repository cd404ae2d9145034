import { emitCode } from '../code/emit-code.ts'
import type { Deps } from '../deps.ts'
import { columnsAfter } from '../domain/code-state.ts'
import { change } from '../store/codes.ts'
import { lockExpired } from '../store/due-codes.ts'

const batchSize = 50
const batchesMax = 20

/** Records the end of active codes, in batches, up to a limit per run. Each batch is one transaction. */
export async function expireCodes({ db }: Pick<Deps, 'db'>): Promise<void> {
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const count = await db.acrossTenants(async (tx) => {
      const expired = await lockExpired(tx, batchSize)
      for (const { tenantId, id, traceId } of expired) {
        const code = await change(tx, tenantId, id, columnsAfter('expire'))
        await emitCode(tx, 'invite-to-pay.codes.update', code, traceId)
      }
      return expired.length
    })
    if (count < batchSize) return
  }
}

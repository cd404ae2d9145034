import { newId } from '@payments/chassis/base/id'
import { inRounds } from '../code/rounds.ts'
import type { Deps } from '../deps.ts'
import { takeReminders } from '../store/due-codes.ts'
import { insertMessage } from '../store/messages.ts'

const bounds = { batchSize: 100, batchesMax: 20 }

/** Decides the reminders that are due, each once, up to a limit per run. Each batch is one transaction. */
export function remind({ db, sending }: Pick<Deps, 'db' | 'sending'>): Promise<void> {
  return inRounds(bounds, async (batch) => {
    const codes = await db.acrossTenants(async (tx) => {
      const { taken, reminded } = await takeReminders(tx, batch)
      for (const { tenantId, id: codeId, traceId } of reminded) {
        await insertMessage(tx, tenantId, { id: newId(), codeId, kind: 'reminder', traceId })
      }
      return taken
    })
    if (codes.length > 0) sending.wake()
    return codes
  })
}

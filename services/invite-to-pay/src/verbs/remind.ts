import { newId } from '@payments/chassis/id'
import type { Deps } from '../deps.ts'
import { takeReminders } from '../store/due-codes.ts'
import { insertMessage } from '../store/messages.ts'

const batchSize = 100
const batchesMax = 20

/** Decides the reminders that are due, each once, up to a limit per run. Each batch is one transaction. */
export async function remind({ db, sending }: Pick<Deps, 'db' | 'sending'>): Promise<void> {
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const count = await db.acrossTenants(async (tx) => {
      const codes = await takeReminders(tx, batchSize)
      for (const { tenantId, id: codeId, traceId } of codes) {
        await insertMessage(tx, tenantId, { id: newId(), codeId, kind: 'reminder', traceId })
      }
      return codes.length
    })
    if (count > 0) sending.wake()
    if (count < batchSize) return
  }
}

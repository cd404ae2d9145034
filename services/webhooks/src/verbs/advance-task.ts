import type { DispatcherDeps } from '../deps.ts'
import type { Selection } from '../domain/dead-letter.ts'
import { turnRows, turnWaitMs } from '../domain/task.ts'
import type { Tx } from '../store/database.ts'
import { discardDeadLetters, hasDeadLetters, lockDeadLetters } from '../store/dead-letters.ts'
import { reviveDeliveries } from '../store/line.ts'
import { recordTurn, type TaskRow, takeTask } from '../store/tasks.ts'

/** `waits`: another dispatcher has the task, or its pace says later. `exhausted`: nothing is left to do. */
export type Advance = 'goes on' | 'waits' | 'exhausted'

/** One turn of a task (tasks.ts): the rows and the progress in one transaction. */
export function advanceTask({ db }: Pick<DispatcherDeps, 'db'>, id: string): Promise<Advance> {
  return db.acrossTenants(async (tx) => {
    const task = await takeTask(tx, id)
    if (task === null) return 'waits'
    const { changed, isLeft } = await changeSome(tx, task)
    const waitMs = turnWaitMs(changed, task.ratePerSecond)
    await recordTurn(tx, id, { changed, position: null, waitMs })
    if (!isLeft) return 'exhausted'
    return waitMs === 0 ? 'goes on' : 'waits'
  })
}

/**
 * Of what was dead when the task began: a delivery that dies again is not of it. What others change meanwhile is passed over,
 * so whether anything is left has to be asked.
 */
async function changeSome(tx: Tx, task: TaskRow): Promise<{ changed: number; isLeft: boolean }> {
  const { tenantId, kind, createdAt: diedBy, createdBy: by, reason } = task
  const selection = task.selection as Selection
  const ids = await lockDeadLetters(tx, tenantId, selection, { diedBy, rowsMax: turnRows(task.ratePerSecond) })
  const changed =
    kind === 'redrive' ? await reviveDeliveries(tx, ids) : await discardDeadLetters(tx, ids, { by, reason })
  return { changed, isLeft: await hasDeadLetters(tx, tenantId, selection, { diedBy }) }
}

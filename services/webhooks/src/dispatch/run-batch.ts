import { randomUUID } from 'node:crypto'
import type { Selection } from '../domain/dead-letter.ts'
import { deliveryIdOf } from '../domain/delivery-id.ts'
import { firstEvent, type Recovery, type RecoveryPosition, readPosition } from '../domain/recovery.ts'
import { batchRows, batchWaitMs, behindRowsMin, type DestinationLoad } from '../domain/task.ts'
import { isBehind } from '../store/backlog.ts'
import type { Tx } from '../store/database.ts'
import { lockDeadLetters } from '../store/dead-letters.ts'
import { lockHeld } from '../store/deliveries.ts'
import { discardDeliveries, restartDeliveries } from '../store/delivery-state.ts'
import { insertDeliveries } from '../store/fan-out.ts'
import { lockRecoverable, type RecoverableEvent, readRecoverableEvents } from '../store/recovery.ts'
import { assignTask, lockDueTask, recordBatch, type TaskRow } from '../store/tasks.ts'
import type { DispatcherDeps } from './deps.ts'

/**
 * `waiting`: another dispatcher runs the task, or its rate delays the next batch. `exhausted`: nothing is left to do.
 */
export type BatchResult = 'continues' | 'waiting' | 'exhausted'

/** The topics of changes of any batch. */
const batchTopics = ['tasks', 'deliveries', 'dead_letters'] as const

interface Batch {
  readonly changed: number
  readonly isLeft: boolean
  readonly position: RecoveryPosition | null
}

/**
 * **What it does.** Runs one batch of a task (task-runner.ts): changes some deliveries and records the progress.
 *
 * **Guarantees.** The rows and the progress commit together. Redrive and discard change deliveries that were dead or
 * held when the task was created, so one that dies again is not selected again. A recovery visits each delivery and
 * each event once, by its position. While a destination is behind (store/backlog.ts), a task that sends to it alone
 * sends one delivery every 200 ms. So a new event waits for `behindRowsMin` and one batch of them, and a few more.
 *
 * **Not guaranteed.** That a restarted delivery is attempted: its row enters the backlog, or is held.
 */
export async function runBatch({ db }: Pick<DispatcherDeps, 'db'>, id: string): Promise<BatchResult> {
  let tenantId: string | null = null
  const result = await db.acrossTenants(async (tx): Promise<BatchResult> => {
    const task = await lockDueTask(tx, id)
    if (task === null) return 'waiting'
    tenantId = task.tenantId
    const load = await loadOf(tx, task)
    const rowsMax = batchRows(task.ratePerSecond, load)
    const change = task.kind === 'recover' ? recoverSome : changeSome
    const { changed, isLeft, position } = await change(tx, task, rowsMax)
    const waitMs = batchWaitMs(changed, task.ratePerSecond, load)
    await recordBatch(tx, id, { changed, position: position === null ? null : JSON.stringify(position), waitMs })
    if (!isLeft) return 'exhausted'
    return waitMs === 0 ? 'continues' : 'waiting'
  })
  if (tenantId !== null) for (const topic of batchTopics) db.changes.note(tenantId, topic)
  return result
}

async function loadOf(tx: Tx, { id: taskId, kind, selection }: TaskRow): Promise<DestinationLoad> {
  const { subscriptionId } = selection as { readonly subscriptionId?: string | null }
  const isSentToOne = (kind === 'redrive' || kind === 'recover') && typeof subscriptionId === 'string'
  if (!isSentToOne) return 'none'
  return (await isBehind(tx, { subscriptionId, taskId, rowsMin: behindRowsMin })) ? 'behind' : 'free'
}

async function changeSome(tx: Tx, task: TaskRow, rowsMax: number): Promise<Batch> {
  const { tenantId, kind, createdAt, createdBy: by, reason } = task
  const selection = task.selection as Selection
  const ids =
    kind === 'discard_held'
      ? await lockHeld(tx, tenantId, selection, { heldBy: createdAt, rowsMax })
      : await lockDeadLetters(tx, tenantId, selection, { diedBy: createdAt, rowsMax })
  const changed =
    kind === 'redrive'
      ? await restartDeliveries(tx, tenantId, ids, task.id)
      : await discardDeliveries(tx, tenantId, ids, { by, reason })
  return { changed, isLeft: ids.length === rowsMax, position: null }
}

async function recoverSome(tx: Tx, task: TaskRow, rowsMax: number): Promise<Batch> {
  const recovery = task.selection as unknown as Recovery
  const { tenantId } = task
  if (tenantId === null) throw new Error(`task ${task.id} recovers a subscription but names no tenant`)
  const at = readPosition(task.position)
  if (at.among === 'events') {
    const { events, last, isEnd } = await readRecoverableEvents(tx, tenantId, recovery, { after: at.id, rowsMax })
    const changed = await deliverEvents(tx, tenantId, { ...recovery, taskId: task.id }, events)
    return { changed, isLeft: !isEnd, position: last === null ? at : { among: at.among, ...last } }
  }
  const ids = await lockRecoverable(tx, tenantId, recovery, { after: at.id, rowsMax })
  const changed = await restartDeliveries(tx, tenantId, ids, task.id)
  const last = ids.at(-1)
  if (last !== undefined && ids.length === rowsMax) {
    return { changed, isLeft: true, position: { among: 'deliveries', id: last } }
  }
  return { changed, isLeft: recovery.includeUnmatched, position: firstEvent }
}

/** Stores the deliveries that fan-out would have stored, in the backlog. Returns the number of new ones. */
async function deliverEvents(
  tx: Tx,
  tenantId: string,
  { subscriptionId, taskId }: Pick<Recovery, 'subscriptionId'> & { readonly taskId: string },
  events: readonly RecoverableEvent[],
): Promise<number> {
  if (events.length === 0) return 0
  const eventRows = events.map(({ held: _held, toUnitId: _toUnitId, occurredAt, ...event }, number) => ({
    ...event,
    tenantId,
    number,
    occurredAt: occurredAt.toISOString(),
  }))
  const rows = events.map((event, number) => ({
    id: deliveryIdOf(event, subscriptionId),
    number,
    subscriptionId,
    businessUnitId: event.toUnitId,
    traceId: randomUUID(),
    initial: event.held ? ('held' as const) : ('backlogged' as const),
  }))
  const inserted = (await insertDeliveries(tx, eventRows, rows)).flatMap(({ ids }) => ids)
  await assignTask(tx, tenantId, inserted, taskId)
  return inserted.length
}

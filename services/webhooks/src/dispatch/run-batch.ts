import { randomUUID } from 'node:crypto'
import type { Selection } from '../domain/dead-letter.ts'
import { deliveryIdOf } from '../domain/delivery-id.ts'
import { firstEvent, type Recovery, type RecoveryPosition, readPosition } from '../domain/recovery.ts'
import { batchRows, batchWaitMs, behindRowsMin } from '../domain/task.ts'
import { isBehind } from '../store/backlog.ts'
import type { Tx } from '../store/database.ts'
import { lockDeadLetters } from '../store/dead-letters.ts'
import { listSubscriptionsOf, lockHeld } from '../store/deliveries.ts'
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
  /** Whether a destination is behind with what the task sends. */
  readonly isBehind: boolean
  readonly position: RecoveryPosition | null
}

/**
 * **What it does.** Runs one batch of a task (task-runner.ts): changes some deliveries and records the progress.
 *
 * **Guarantees.** The rows and the progress commit together. Redrive and discard change deliveries that were dead or
 * held when the task was created, so one that dies again is not selected again. A recovery visits each delivery and
 * each event once, by its position. While a destination is behind (store/backlog.ts), the next delivery to it
 * follows after 200 ms. So a new event waits for `behindRowsMin` and one batch of them, and a few more.
 *
 * **Not guaranteed.** That a restarted delivery is attempted: its row enters the backlog, or is held.
 */
export async function runBatch({ db }: Pick<DispatcherDeps, 'db'>, id: string): Promise<BatchResult> {
  let tenantId: string | null = null
  const result = await db.acrossTenants(async (tx): Promise<BatchResult> => {
    const task = await lockDueTask(tx, id)
    if (task === null) return 'waiting'
    tenantId = task.tenantId
    const batch = await (task.kind === 'recover' ? recoverSome(tx, task) : changeSome(tx, task))
    const waitMs = batchWaitMs(batch.changed, task.ratePerSecond, batch.isBehind && batch.changed > 0)
    const position = batch.position === null ? null : JSON.stringify(batch.position)
    await recordBatch(tx, id, { changed: batch.changed, position, waitMs })
    if (!batch.isLeft) return 'exhausted'
    return waitMs === 0 ? 'continues' : 'waiting'
  })
  if (tenantId !== null) for (const topic of batchTopics) db.changes.note(tenantId, topic)
  return result
}

async function changeSome(tx: Tx, task: TaskRow): Promise<Batch> {
  const { tenantId, kind, createdAt, createdBy: by, reason } = task
  const isSent = kind === 'redrive'
  const rowsMax = batchRows(task.ratePerSecond, isSent)
  const selection = task.selection as Selection
  const ids =
    kind === 'discard_held'
      ? await lockHeld(tx, tenantId, selection, { heldBy: createdAt, rowsMax })
      : await lockDeadLetters(tx, tenantId, selection, { diedBy: createdAt, rowsMax })
  const isLeft = ids.length === rowsMax
  if (!isSent) {
    const changed = await discardDeliveries(tx, tenantId, ids, { by, reason })
    return { changed, isLeft, isBehind: false, position: null }
  }
  const isDelayed = await isBehindWith(tx, task, await listSubscriptionsOf(tx, ids))
  const changed = await restartDeliveries(tx, tenantId, isDelayed ? ids.slice(0, 1) : ids, task.id)
  return { changed, isLeft: isLeft || (isDelayed && ids.length > 1), isBehind: isDelayed, position: null }
}

const isBehindWith = (tx: Tx, { id }: TaskRow, subscriptionIds: readonly string[]) =>
  isBehind(tx, subscriptionIds, { taskId: id, rowsMin: behindRowsMin })

async function recoverSome(tx: Tx, task: TaskRow): Promise<Batch> {
  const recovery = task.selection as unknown as Recovery
  const { tenantId } = task
  if (tenantId === null) throw new Error(`task ${task.id} recovers a subscription but names no tenant`)
  const at = readPosition(task.position)
  const isDelayed = await isBehindWith(tx, task, [recovery.subscriptionId])
  const rowsMax = batchRows(task.ratePerSecond, true)
  if (at.among === 'events') {
    const read = await readRecoverableEvents(tx, tenantId, recovery, { after: at.id, rowsMax })
    const [first] = read.events
    // Events that do not match are passed at once.
    const isPart = isDelayed && first !== undefined
    const changed = await deliverEvents(tx, tenantId, { ...recovery, taskId: task.id }, isPart ? [first] : read.events)
    const last = isPart ? { instant: first.occurredAt.toISOString(), id: first.id } : read.last
    const position = last === null ? at : { among: at.among, ...last }
    return { changed, isLeft: isPart || !read.isEnd, isBehind: isDelayed, position }
  }
  return recoverDeliveries(tx, tenantId, task, { at, isDelayed, rowsMax: isDelayed ? 1 : rowsMax })
}

async function recoverDeliveries(
  tx: Tx,
  tenantId: string,
  task: TaskRow,
  { at, isDelayed, rowsMax }: { readonly at: RecoveryPosition; readonly isDelayed: boolean; readonly rowsMax: number },
): Promise<Batch> {
  const recovery = task.selection as unknown as Recovery
  const ids = await lockRecoverable(tx, tenantId, recovery, { after: at.id, rowsMax })
  const changed = await restartDeliveries(tx, tenantId, ids, task.id)
  const last = ids.at(-1)
  if (last !== undefined && ids.length === rowsMax) {
    return { changed, isLeft: true, isBehind: isDelayed, position: { among: 'deliveries', id: last } }
  }
  return { changed, isLeft: recovery.includeUnmatched, isBehind: isDelayed, position: firstEvent }
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

import { randomUUID } from 'node:crypto'
import type { Selection } from '../domain/dead-letter/dead-letter.ts'
import { firstEvent, type Recovery, type RecoveryPosition, readPosition } from '../domain/dead-letter/recovery.ts'
import { batchRows, batchWaitMs, behindReadWaitMs, behindRowsMin, behindWaitMs } from '../domain/dead-letter/task.ts'
import { deriveDeliveryId } from '../domain/delivery/delivery-id.ts'
import type { Tx } from '../store/database.ts'
import { lockDeadLetters } from '../store/dead-letter/dead-letters.ts'
import { lockRecoverable, type RecoverableEvent, readRecoverableEvents } from '../store/dead-letter/recovery.ts'
import { assignTask, lockDueTask, recordBatch, type TaskRow } from '../store/dead-letter/tasks.ts'
import { isBehind } from '../store/delivery/backlog.ts'
import { listExisting, listSubscriptionIds, lockHeld } from '../store/delivery/deliveries.ts'
import { discardDeliveries, restartDeliveries } from '../store/delivery/delivery-state.ts'
import { insertDeliveries } from '../store/event/fan-out.ts'
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
  /** The wait for a destination that is behind; 0: none is. */
  readonly behindMs: number
  readonly position: RecoveryPosition | null
}

/**
 * **What it does.** Runs one batch of a task (task-runner.ts): changes some deliveries and records the progress.
 *
 * **Guarantees.** The rows and the progress commit together. Redrive and discard change deliveries that were dead or
 * held when the task was created, so one that dies again is not selected again. A recovery visits each delivery and
 * each event once, by its position. A batch that sends deliveries waits while a destination of it is behind
 * (store/delivery/backlog.ts), so a new event waits for `behindRowsMin` and one batch of each task. Tasks of operators
 * do not wait.
 *
 * **Not guaranteed.** That a restarted delivery is attempted: its row enters the backlog, or is held.
 */
export async function runBatch({ db }: Pick<DispatcherDeps, 'db'>, id: string): Promise<BatchResult> {
  let changedTenantId: string | null = null
  const result = await db.acrossTenants(async (tx): Promise<BatchResult> => {
    const task = await lockDueTask(tx, id)
    if (task === null) return 'waiting'
    const batch = await (task.kind === 'recover' ? recoverSome(tx, task) : changeSome(tx, task))
    const waitMs = Math.max(batch.behindMs, batchWaitMs(batch.changed, task.ratePerSecond))
    const position = batch.position === null ? null : JSON.stringify(batch.position)
    await recordBatch(tx, id, { changed: batch.changed, position, waitMs })
    if (batch.changed > 0 || !batch.isLeft) changedTenantId = task.tenantId
    if (!batch.isLeft) return 'exhausted'
    return waitMs === 0 ? 'continues' : 'waiting'
  })
  if (changedTenantId !== null) for (const topic of batchTopics) db.changes.note(changedTenantId, topic)
  return result
}

async function changeSome(tx: Tx, task: TaskRow): Promise<Batch> {
  const { tenantId, kind, createdAt, createdBy: by, reason } = task
  const isSent = kind === 'redrive'
  const rowsMax = batchRows(task.ratePerSecond, isSent)
  const selection = task.selection as Selection
  // An operator decides for all tenants: none of them holds the task up.
  const mayWait = isSent && tenantId !== null
  const { subscriptionId } = selection
  if (mayWait && subscriptionId !== undefined && (await isLate(tx, [subscriptionId]))) return behind(null, behindWaitMs)
  const ids =
    kind === 'discard_held'
      ? await lockHeld(tx, tenantId, selection, { heldBy: createdAt, rowsMax })
      : await lockDeadLetters(tx, tenantId, selection, { diedBy: createdAt, rowsMax })
  const isLeft = ids.length === rowsMax
  if (!isSent) {
    const changed = await discardDeliveries(tx, tenantId, ids, { by, reason })
    return { changed, isLeft, behindMs: 0, position: null }
  }
  const isUnknown = mayWait && subscriptionId === undefined
  if (isUnknown && (await isLate(tx, await listSubscriptionIds(tx, ids)))) return behind(null, behindReadWaitMs)
  const changed = await restartDeliveries(tx, tenantId, ids, task.id)
  return { changed, isLeft, behindMs: 0, position: null }
}

const isLate = (tx: Tx, subscriptionIds: readonly string[]) => isBehind(tx, subscriptionIds, behindRowsMin)

const behind = (position: RecoveryPosition | null, behindMs: number): Batch => ({
  changed: 0,
  isLeft: true,
  behindMs,
  position,
})

async function recoverSome(tx: Tx, task: TaskRow): Promise<Batch> {
  const recovery = task.selection as unknown as Recovery
  const { tenantId } = task
  if (tenantId === null) throw new Error(`task ${task.id} recovers a subscription but names no tenant`)
  const at = readPosition(task.position)
  const mustWait = await isLate(tx, [recovery.subscriptionId])
  const rowsMax = batchRows(task.ratePerSecond, true)
  if (at.among === 'events') {
    const { events, last, isEnd } = await readRecoverableEvents(tx, tenantId, recovery, { after: at.id, rowsMax })
    const unsent = await withoutDelivery(tx, recovery, events)
    if (unsent.length > 0 && mustWait) return behind(at, behindReadWaitMs)
    const changed = await deliverEvents(tx, tenantId, { ...recovery, taskId: task.id }, unsent)
    const position = last === null ? at : { ...at, id: last }
    return { changed, isLeft: !isEnd, behindMs: 0, position }
  }
  const ids = await lockRecoverable(tx, tenantId, recovery, { after: at.id, rowsMax: mustWait ? 1 : rowsMax })
  if (ids.length > 0 && mustWait) return behind(at, behindWaitMs)
  const changed = await restartDeliveries(tx, tenantId, ids, task.id)
  const last = ids.at(-1)
  if (last !== undefined && ids.length === rowsMax) {
    return { changed, isLeft: true, behindMs: 0, position: { among: 'deliveries', id: last } }
  }
  return { changed, isLeft: recovery.includeUnmatched, behindMs: 0, position: firstEvent }
}

async function withoutDelivery(
  tx: Tx,
  { subscriptionId }: Recovery,
  events: readonly RecoverableEvent[],
): Promise<readonly RecoverableEvent[]> {
  const deriveId = (event: RecoverableEvent) => deriveDeliveryId(event, subscriptionId)
  const existing = await listExisting(tx, events.map(deriveId))
  return events.filter((event) => !existing.has(deriveId(event)))
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
    id: deriveDeliveryId(event, subscriptionId),
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

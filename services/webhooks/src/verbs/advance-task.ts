import { randomUUID } from 'node:crypto'
import type { DispatcherDeps } from '../deps.ts'
import type { Selection } from '../domain/dead-letter.ts'
import { bodyFrame } from '../domain/delivery-body.ts'
import { deliveryIdOf } from '../domain/delivery-id.ts'
import { firstEvent, type Recovery, type RecoveryPosition, readPosition } from '../domain/recovery.ts'
import { turnRows, turnWaitMs } from '../domain/task.ts'
import type { Tx } from '../store/database.ts'
import { discardDeliveries, lockDeadLetters, lockHeld } from '../store/dead-letters.ts'
import { insertDeliveries } from '../store/fan-out.ts'
import { reviveDeliveries } from '../store/line.ts'
import { listWantedEvents, lockRecoverable, type WantedEvent } from '../store/recovery.ts'
import { recordTurn, type TaskRow, takeTask } from '../store/tasks.ts'

/** `waits`: another dispatcher has the task, or its pace says later. `exhausted`: nothing is left to do. */
export type Advance = 'goes on' | 'waits' | 'exhausted'

interface Turn {
  readonly changed: number
  readonly isLeft: boolean
  readonly position: RecoveryPosition | null
}

/** One turn of a task (tasks.ts): the rows and the progress in one transaction. */
export function advanceTask({ db }: Pick<DispatcherDeps, 'db'>, id: string): Promise<Advance> {
  return db.acrossTenants(async (tx) => {
    const task = await takeTask(tx, id)
    if (task === null) return 'waits'
    const { changed, isLeft, position } = await (task.kind === 'recover' ? recoverSome(tx, task) : changeSome(tx, task))
    const waitMs = turnWaitMs(changed, task.ratePerSecond)
    await recordTurn(tx, id, { changed, position: position === null ? null : JSON.stringify(position), waitMs })
    if (!isLeft) return 'exhausted'
    return waitMs === 0 ? 'goes on' : 'waits'
  })
}

/** Of what was dead or held when the task began: a delivery that dies again is not of it. */
async function changeSome(tx: Tx, task: TaskRow): Promise<Turn> {
  const { tenantId, kind, createdAt, createdBy: by, reason } = task
  const rowsMax = turnRows(task.ratePerSecond)
  const selection = task.selection as Selection
  const ids =
    kind === 'discard_held'
      ? await lockHeld(tx, tenantId, selection, { heldBy: createdAt, rowsMax })
      : await lockDeadLetters(tx, tenantId, selection, { diedBy: createdAt, rowsMax })
  const changed =
    kind === 'redrive'
      ? await reviveDeliveries(tx, tenantId, ids)
      : await discardDeliveries(tx, tenantId, ids, { by, reason })
  return { changed, isLeft: ids.length === rowsMax, position: null }
}

async function recoverSome(tx: Tx, task: TaskRow): Promise<Turn> {
  const recovery = task.selection as unknown as Recovery
  const { tenantId } = task
  if (tenantId === null) throw new Error(`task ${task.id} recovers a subscription of nobody`)
  const at = readPosition(task.position)
  const rowsMax = turnRows(task.ratePerSecond)
  if (at.among === 'events') {
    const events = await listWantedEvents(tx, tenantId, recovery, { after: at, rowsMax })
    const changed = await deliverEvents(tx, tenantId, recovery.subscriptionId, events)
    const last = events.at(-1)
    const position = last === undefined ? at : { among: at.among, instant: last.occurredAt.toISOString(), id: last.id }
    return { changed, isLeft: events.length === rowsMax, position }
  }
  const ids = await lockRecoverable(tx, tenantId, recovery, { after: at.id, rowsMax })
  const changed = await reviveDeliveries(tx, tenantId, ids)
  const last = ids.at(-1)
  if (last !== undefined && ids.length === rowsMax) {
    return { changed, isLeft: true, position: { among: 'deliveries', id: last } }
  }
  return { changed, isLeft: recovery.includeUnmatched, position: firstEvent }
}

/** As fan-out would have made them, from the line; those that are there stay as they are. Returns how many were not. */
async function deliverEvents(
  tx: Tx,
  tenantId: string,
  subscriptionId: string,
  events: readonly WantedEvent[],
): Promise<number> {
  if (events.length === 0) return 0
  const eventRows = events.map(({ held: _held, toUnitId: _toUnitId, occurredAt, ...event }, number) => ({
    ...bodyFrame({ tenantId, eventType: event.type, tenantEventId: event.id }),
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
    place: event.held ? ('held' as const) : ('lined' as const),
  }))
  const inserted = await insertDeliveries(tx, eventRows, rows, { firstDelayMs: 0, sweepAfterMs: 0 })
  return inserted.reduce((sum, { ids }) => sum + ids.length, 0)
}

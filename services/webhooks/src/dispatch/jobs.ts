import { createTurns } from '@payments/chassis/database/turns'
import {
  every,
  everyResting,
  type Scheduled,
  startFlushes,
  type Waits,
  withPauses,
} from '@payments/chassis/process/schedule'
import { whenDue } from '@payments/chassis/process/when-due'
import type { Broker } from '../broker/broker.ts'
import { deadLetterQueueNames } from '../broker/dead-letter-queues.ts'
import { dispatchBacklogs, measureBacklog } from './backlog.ts'
import type { WorkerDeps } from './deps.ts'
import { runSubscriptionDiscards } from './discard-deliveries.ts'
import { reconcileDeadLetters } from './reconcile.ts'
import { retainDeliveries } from './retain-deliveries.ts'
import { createSweep, nextSweep } from './sweep.ts'
import { nextTaskRun, runTasks } from './task-runner.ts'

/** Another process may have added to a backlog, or a time may have come at which a breaker allows a probe. */
const backlogRestMs = 1_000
const retainIntervalMs = 10 * 60_000
const sweepIntervalMs = 1_000
/** Another dispatcher may have ended. Its deliveries are overdue 5 s after they were stored, or later. */
const sweepRestMs = 10_000
/** The API changes dead rows too. */
const reconciling = { intervalMs: 10_000, restMs: 60_000 }
const measuring = { intervalMs: 10_000, restMs: 30_000 }
const tasksIntervalMs = 200
/** The API stores tasks. */
const tasksRestMs = 1_000
const discardsIntervalMs = 100
/** The API stores deletions. */
const discardsRestMs = 5_000
const lastOutcomesDelayMs = 2_000
const changesDelayMs = 250

/**
 * **What it does.** Starts the periodic jobs of the dispatcher.
 *
 * **Guarantees.** A job never runs twice at once in this process, and every job may run in several dispatchers at once.
 * A failed run is logged, and the next run follows. `stop` waits for the run in progress.
 *
 * **Not guaranteed.** Work without the broker: sweeper, tasks, reconciliation and backlog dispatcher then skip their
 * runs, because what they start would fail. Readiness reports the outage.
 */
export function startDispatcherJobs(
  deps: WorkerDeps,
  broker: Pick<Broker, 'check' | 'depth'>,
  retentionDays: number,
): Scheduled[] {
  /** Jobs that follow the steps of deliveries in this process, and pause without them. */
  const withSteps = (waits: Waits, name: string, job: () => Promise<void>) =>
    everyResting({ ...waits, signals: deps.db.changes }, name, deps.log, job)
  const reconciliation = withSteps(reconciling, 'reconcile-dead-letters', async () => {
    if ((await broker.check()) !== null) return
    await reconcileDeadLetters(deps)
    for (const name of deadLetterQueueNames)
      deps.metrics.queueDepth.set({ queue: name }, await deps.deadLetters.depth(name))
  })
  return [
    reconciliation,
    startBacklogDispatcher(deps, broker),
    every(retainIntervalMs, 'retain-deliveries', deps.log, async () => {
      const { created, dropped, deleted } = await retainDeliveries(deps, retentionDays)
      deps.metrics.partitionsDropped.inc(dropped)
      deps.metrics.rowsDeleted.inc(deleted)
      if (created + dropped + deleted > 0) deps.log.info({ created, dropped, deleted }, 'partitions maintained')
    }),
    startSweeper(deps, broker),
    startDiscards(deps, retentionDays),
    startTasks(deps, broker, reconciliation.soon),
    withSteps(measuring, 'measure-backlog', async () => {
      await measureBacklog(deps)
      if ((await broker.check()) !== null) return
      for (const queue of ['webhooks.events', 'webhooks.deliveries'] as const) {
        const depth = await broker.depth(queue)
        // A depth that is not known leaves the earlier one.
        if (depth !== undefined) deps.metrics.queueDepth.set({ queue }, depth)
      }
    }),
  ]
}

function startSweeper(deps: WorkerDeps, broker: Pick<Broker, 'check' | 'depth'>): Scheduled {
  const sweep = createSweep(deps)
  const { db, log } = deps
  const waits = { intervalMs: sweepIntervalMs, restMsMax: sweepRestMs }
  const nextDue = () => nextSweep(db)
  return whenDue({ name: 'sweep', nextDue, signals: db.changes, log, ...waits }, async () => {
    if ((await broker.check()) !== null) return
    await sweep(await broker.depth('webhooks.deliveries'))
  })
}

function startDiscards(deps: WorkerDeps, retentionDays: number): Scheduled {
  const { db, log } = deps
  const turns = createTurns('subscription_discards')
  const waits = { intervalMs: discardsIntervalMs, restMsMax: discardsRestMs }
  const nextDue = () => turns.nextDue(db.crossTenant)
  const run = async () => {
    const changed = await runSubscriptionDiscards(deps, turns, retentionDays)
    for (const tenantId of changed) {
      for (const topic of ['deliveries', 'dead_letters'] as const) db.changes.note(tenantId, topic)
    }
  }
  return whenDue({ name: 'discard-deliveries', nextDue, signals: db.commits, log, ...waits }, run)
}

/** `changed` is called after a run: a task leaves messages of deliveries that are not dead. */
function startTasks(deps: WorkerDeps, broker: Pick<Broker, 'check'>, changed: () => void): Scheduled {
  const { db, log } = deps
  const waits = { intervalMs: tasksIntervalMs, restMsMax: tasksRestMs }
  const nextDue = () => nextTaskRun(db)
  return whenDue({ name: 'tasks', nextDue, signals: db.commits, log, ...waits }, async () => {
    if ((await broker.check()) !== null) return
    await runTasks(deps)
    changed()
  })
}

/** Stores the notes of steps of deliveries. Stop it after the last step. */
export const startNoteFlushes = ({ db, log }: Pick<WorkerDeps, 'db' | 'log'>): Scheduled[] => [
  startFlushes(changesDelayMs, 'changes', log, db.changes),
  startFlushes(lastOutcomesDelayMs, 'last-outcomes', log, db.lastOutcomes),
]

/**
 * Runs `dispatchBacklogs` one at a time: when capacity becomes free, soon after a run or a step of this process found a
 * backlog (destination-limits.ts), and every `backlogRestMs`.
 */
function startBacklogDispatcher(deps: WorkerDeps, broker: Pick<Broker, 'check'>): Scheduled {
  const { backlogSignal: pause } = deps.limits
  let after: string | null = null
  const run = async () => {
    if ((await broker.check()) === null) after = await dispatchBacklogs(deps, after)
  }
  const runs = { pause, intervalMs: 0, name: 'dispatch-backlogs', log: deps.log }
  return withPauses(runs, run, () => pause.wait(backlogRestMs))
}

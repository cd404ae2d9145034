import { every, type Scheduled } from '@payments/chassis/process/schedule'
import type { Broker } from '../broker/broker.ts'
import { deadLetterQueueNames } from '../broker/dead-letter-queues.ts'
import { dispatchBacklogs, measureBacklog } from './backlog.ts'
import type { WorkerDeps } from './deps.ts'
import { reconcileDeadLetters } from './reconcile.ts'
import { retainDeliveries } from './retain-deliveries.ts'
import { createSweep } from './sweep.ts'
import { runTasks } from './task-runner.ts'

const backlogIntervalMs = 250
const retainIntervalMs = 10 * 60_000
const sweepIntervalMs = 1_000
const reconcileIntervalMs = 10_000
const measureIntervalMs = 10_000
const tasksIntervalMs = 500
const lastOutcomesIntervalMs = 2_000
const changesIntervalMs = 250

/**
 * **What it does.** Starts the periodic jobs of the dispatcher.
 *
 * **Guarantees.** A job never runs twice at once in this process, and every job may run in several dispatchers at once.
 * A failed run is logged, and the next run follows. `stop` waits for the run in progress.
 *
 * **Not guaranteed.** Work without the broker: sweeper, tasks, reconciliation and backlog dispatcher then skip their
 * runs, because what they start would fail. Readiness reports the outage.
 */
export const startDispatcherJobs = (
  deps: WorkerDeps,
  broker: Pick<Broker, 'check' | 'deliveriesDepth' | 'eventsDepth' | 'deadLetters'>,
  retentionDays: number,
): Scheduled[] => [
  startBacklogDispatcher(deps, broker),
  every(retainIntervalMs, 'retain-deliveries', deps.log, async () => {
    const { created, dropped, deleted } = await retainDeliveries(deps, retentionDays)
    deps.metrics.retained(dropped, deleted)
    if (created + dropped + deleted > 0) deps.log.info({ created, dropped, deleted }, 'partitions maintained')
  }),
  startSweeper(deps, broker),
  every(tasksIntervalMs, 'tasks', deps.log, async () => {
    if ((await broker.check()) === null) await runTasks(deps, broker.deadLetters)
  }),
  every(changesIntervalMs, 'changes', deps.log, () => deps.db.changes.flush()),
  every(lastOutcomesIntervalMs, 'last-outcomes', deps.log, () => deps.db.lastOutcomes.flush()),
  every(measureIntervalMs, 'measure-backlog', deps.log, async () => {
    await measureBacklog(deps)
    if ((await broker.check()) === null) deps.metrics.queueDepth('webhooks.events', await broker.eventsDepth())
  }),
  every(reconcileIntervalMs, 'reconcile-dead-letters', deps.log, async () => {
    if ((await broker.check()) !== null) return
    const { deadLetters } = broker
    await reconcileDeadLetters({ ...deps, deadLetters })
    for (const name of deadLetterQueueNames) deps.metrics.queueDepth(name, await deadLetters.depth(name))
  }),
]

function startSweeper(deps: WorkerDeps, broker: Pick<Broker, 'check' | 'deliveriesDepth'>): Scheduled {
  const sweep = createSweep(deps)
  return every(sweepIntervalMs, 'sweep', deps.log, async () => {
    if ((await broker.check()) !== null) return
    const depth = await broker.deliveriesDepth()
    deps.metrics.queueDepth('webhooks.deliveries', depth)
    await sweep(depth)
  })
}

/** Runs `dispatchBacklogs` one at a time: when capacity becomes free, and every `backlogIntervalMs`. */
function startBacklogDispatcher(deps: WorkerDeps, broker: Pick<Broker, 'check'>): Scheduled {
  const { backlogSignal } = deps.egress.limits
  let stopped = false
  let after: string | null = null
  const runOnce = async () => {
    try {
      if ((await broker.check()) === null) after = await dispatchBacklogs(deps, after)
    } catch (err) {
      deps.log.error({ err, job: 'dispatch-backlogs' }, 'job failed')
    }
    await backlogSignal.wait(backlogIntervalMs)
  }
  const run = async () => {
    while (!stopped) await runOnce()
  }
  const running = run()
  return {
    stop: async () => {
      stopped = true
      backlogSignal.wake()
      await running
    },
  }
}

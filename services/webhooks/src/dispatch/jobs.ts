import { every, type Scheduled } from '@payments/chassis/schedule'
import { type DeadLetterQueues, deadLetterQueueNames } from '../broker/dead-letter-queues.ts'
import { dispatchBacklogs, measureBacklog } from './backlog.ts'
import type { WorkerDeps } from './deps.ts'
import { reconcileDeadLetters } from './reconcile.ts'
import { retainDeliveries } from './retain-deliveries.ts'
import { sweep } from './sweep.ts'
import { runTasks } from './task-runner.ts'

const backlogIntervalMs = 250
const retainIntervalMs = 10 * 60_000
const sweepIntervalMs = 1_000
const reconcileIntervalMs = 10_000
const measureIntervalMs = 10_000
const tasksIntervalMs = 500

/** Time → work of the dispatcher. Without the broker, most jobs have nothing to do; readiness reports the outage. */
export const startDispatcherJobs = (
  deps: WorkerDeps,
  deadLetters: DeadLetterQueues,
  retentionDays: number,
): Scheduled[] => [
  startBacklogDispatcher(deps, deadLetters),
  every(retainIntervalMs, 'retain-deliveries', deps.log, async () => {
    const { created, dropped, deleted } = await retainDeliveries(deps, retentionDays)
    deps.metrics.retained(dropped, deleted)
    if (created + dropped + deleted > 0) deps.log.info({ created, dropped, deleted }, 'partitions maintained')
  }),
  every(sweepIntervalMs, 'sweep', deps.log, async () => {
    if ((await deadLetters.check()) !== null) return
    const depth = await deadLetters.deliveriesDepth()
    deps.metrics.queueDepth('webhooks.deliveries', depth)
    await sweep(deps, depth)
  }),
  every(tasksIntervalMs, 'tasks', deps.log, async () => {
    if ((await deadLetters.check()) === null) await runTasks(deps, deadLetters)
  }),
  every(measureIntervalMs, 'measure-backlog', deps.log, async () => {
    await measureBacklog(deps)
  }),
  every(reconcileIntervalMs, 'reconcile-dead-letters', deps.log, async () => {
    if ((await deadLetters.check()) !== null) return
    await reconcileDeadLetters({ ...deps, deadLetters })
    for (const name of deadLetterQueueNames) deps.metrics.queueDepth(name, await deadLetters.depth(name))
  }),
]

/** Runs `dispatchBacklogs` one at a time: when capacity becomes free, and every `backlogIntervalMs`. */
function startBacklogDispatcher(deps: WorkerDeps, deadLetters: Pick<DeadLetterQueues, 'check'>): Scheduled {
  const { backlogSignal } = deps.egress.limits
  let stopped = false
  let after: string | null = null
  const runOnce = async () => {
    try {
      if ((await deadLetters.check()) === null) after = await dispatchBacklogs(deps, after)
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

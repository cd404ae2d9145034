import { every, type Scheduled } from '@payments/chassis/schedule'
import { type DeadLetterQueues, deadLetterQueueNames } from './dead-letter-queues.ts'
import type { Deps, FinderDeps } from './deps.ts'
import { reconcileDeadLetters } from './reconcile.ts'
import { runTasks } from './tasks.ts'
import { feedLines } from './verbs/feed-lines.ts'
import { measureLines } from './verbs/measure-lines.ts'
import { purgeExpired } from './verbs/purge-expired.ts'
import { retainDeliveries } from './verbs/retain-deliveries.ts'
import { sweep } from './verbs/sweep.ts'

const purgeIntervalMs = 60_000
const feedIntervalMs = 250
const retainIntervalMs = 10 * 60_000
const sweepIntervalMs = 1_000
const reconcileIntervalMs = 10_000
const measureIntervalMs = 10_000
const tasksIntervalMs = 500

/** Time → verbs, in the API. */
export const startApiJobs = (deps: Pick<Deps, 'db' | 'log'>): Scheduled[] => [
  every(purgeIntervalMs, 'purge-expired', deps.log, () => purgeExpired(deps)),
]

/** Time → verbs, in the dispatcher. While the broker is away there is nothing to be done, and readiness says so. */
export const startDispatcherJobs = (
  deps: FinderDeps,
  deadLetters: DeadLetterQueues,
  retentionDays: number,
): Scheduled[] => [
  startFeeder(deps, deadLetters),
  every(retainIntervalMs, 'retain-deliveries', deps.log, async () => {
    const { made, dropped, deleted } = await retainDeliveries(deps, retentionDays)
    deps.meters.retained(dropped, deleted)
    if (made + dropped + deleted > 0) deps.log.info({ made, dropped, deleted }, 'partitions')
  }),
  every(sweepIntervalMs, 'sweep', deps.log, async () => {
    if ((await deadLetters.check()) !== null) return
    const backlog = await deadLetters.backlog()
    deps.meters.queueDepth('webhooks.deliveries', backlog)
    await sweep(deps, backlog)
  }),
  every(tasksIntervalMs, 'tasks', deps.log, async () => {
    if ((await deadLetters.check()) === null) await runTasks(deps, deadLetters)
  }),
  every(measureIntervalMs, 'measure-lines', deps.log, () => measureLines(deps)),
  every(reconcileIntervalMs, 'reconcile-dead-letters', deps.log, async () => {
    if ((await deadLetters.check()) !== null) return
    await reconcileDeadLetters({ ...deps, deadLetters })
    for (const name of deadLetterQueueNames) deps.meters.queueDepth(name, await deadLetters.depth(name))
  }),
]

/** Turns of `feedLines`, one after the other: when something has become free, and every `feedIntervalMs`. */
function startFeeder(deps: FinderDeps, deadLetters: Pick<DeadLetterQueues, 'check'>): Scheduled {
  const { feeding } = deps.egress.traffic
  let stopped = false
  let after: string | null = null
  const turn = async () => {
    try {
      if ((await deadLetters.check()) === null) after = await feedLines(deps, after)
    } catch (err) {
      deps.log.error({ err, job: 'feed-lines' }, 'job failed')
    }
    await feeding.wait(feedIntervalMs)
  }
  const run = async () => {
    while (!stopped) await turn()
  }
  const running = run()
  return {
    stop: async () => {
      stopped = true
      feeding.wake()
      await running
    },
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import { Problem } from '@payments/contracts/grammar/problem'
import type { InspectedTask } from '@payments/contracts/services/webhooks/dead-letters'
import { commandFailure } from './arguments.ts'
import { newContext, type Services } from './services.ts'

/** Each poll leaves an audit record, so the interval grows. */
const pollMinMs = 250
const pollMaxMs = 5_000

interface Followed<T> {
  readonly read: () => Promise<T>
  readonly isOver: (state: T) => boolean
  /** The progress, which is reported when it changes. */
  readonly line: (state: T) => string
  readonly report: (line: string) => void
  /** Printed at Ctrl-C, which leaves the work running. */
  readonly leaving: string
  /** Whether to stop. `silentPolls`: polls in a row without a response. */
  readonly isLate: (silentPolls: number, sinceMs: number) => boolean
}

/** Waits for the end of work that the services do. Resolves with undefined, and the last progress, when it is late. */
export async function follow<T>({ read, isOver, line, report, leaving, isLate }: Followed<T>) {
  const leave = () => {
    process.stderr.write(`\n${leaving}\n`)
    process.exit(130)
  }
  process.once('SIGINT', leave)
  const startedAt = Date.now()
  let lastLine = ''
  let silentPolls = 0
  for (
    let pauseMs = pollMinMs;
    !isLate(silentPolls, Date.now() - startedAt);
    pauseMs = Math.min(pollMaxMs, pauseMs * 1.5)
  ) {
    const state = await readIfAvailable(read)
    silentPolls = state === undefined ? silentPolls + 1 : 0
    if (state !== undefined) {
      if (line(state) !== lastLine) report(line(state))
      lastLine = line(state)
      if (isOver(state)) {
        process.off('SIGINT', leave)
        return { state, lastLine }
      }
    }
    await delay(pauseMs)
  }
  return { state: undefined, lastLine }
}

/** Undefined while the service does not respond. */
async function readIfAvailable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Problem && error.code === 'service_unavailable') return undefined
    throw error
  }
}

/** A restarted service is unavailable for a while; the task continues afterwards. */
const silentPollsMax = 30

/** Waits for the end of a task without a limit. Throws when the task was canceled or failed. */
export async function followTask(
  { webhooks }: Pick<Services, 'webhooks'>,
  id: string,
  report: (line: string) => void,
): Promise<InspectedTask> {
  const { state: task } = await follow({
    read: () => webhooks.inspectTask(newContext(), { params: { task_id: id } }),
    isOver: ({ status }) => status !== 'running',
    line: ({ kind, done, total }) => `${kind}: ${done} of ${total}`,
    report,
    leaving: `task ${id} continues; to stop it: payctl dlq cancel ${id}`,
    isLate: (silentPolls) => silentPolls >= silentPollsMax,
  })
  if (task === undefined) {
    throw commandFailure(
      `the webhooks service does not respond; task ${id} continues. List tasks with: payctl dlq tasks`,
    )
  }
  if (task.status === 'done') return task
  throw commandFailure(`task ${task.id} was ${task.status} after ${task.done} of ${task.total}`)
}

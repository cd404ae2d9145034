import { setTimeout as delay } from 'node:timers/promises'
import { newId } from '@payments/chassis/base/id'
import { Problem } from '@payments/contracts/grammar/problem'
import type { InspectedTask } from '@payments/contracts/services/webhooks/dead-letters'
import { commandFailure } from './arguments.ts'
import type { Services } from './services.ts'

/** Each poll leaves an audit record, so the interval grows for a long task. */
const pollMinMs = 250
const pollMaxMs = 5_000
/** A restarted service is unavailable for a while; the task continues afterwards. */
const silentPollsMax = 30

/**
 * Waits for the end of a task without a limit and reports its progress. The services run the task, so Ctrl-C leaves it
 * running. Throws when the task was canceled or failed.
 */
export async function followTask(
  { webhooks }: Pick<Services, 'webhooks'>,
  id: string,
  report: (line: string) => void,
): Promise<InspectedTask> {
  const leave = () => {
    process.stderr.write(`\ntask ${id} continues; to stop it: payctl dlq cancel ${id}\n`)
    process.exit(130)
  }
  process.once('SIGINT', leave)
  let lastLine = ''
  for (let silent = 0, waitMs = pollMinMs; silent < silentPollsMax; waitMs = Math.min(pollMaxMs, waitMs * 1.5)) {
    const task = await webhooks
      .inspectTask({ traceId: newId() }, { params: { task_id: id } })
      .catch((error: unknown) => {
        if (error instanceof Problem && error.code === 'service_unavailable') return undefined
        throw error
      })
    silent = task === undefined ? silent + 1 : 0
    if (task !== undefined) {
      const line = `${task.kind}: ${task.done} of ${task.total}`
      if (line !== lastLine) report(line)
      lastLine = line
      if (task.status !== 'running') {
        process.off('SIGINT', leave)
        return requireDone(task)
      }
    }
    await delay(waitMs)
  }
  throw commandFailure(`the webhooks service does not respond; task ${id} continues. List tasks with: payctl dlq tasks`)
}

function requireDone(task: InspectedTask): InspectedTask {
  if (task.status === 'done') return task
  throw commandFailure(`task ${task.id} was ${task.status} after ${task.done} of ${task.total}`)
}

import { startQueueTask } from '../broker/queue-task.ts'
import type { Deps } from '../deps.ts'
import type { QueueTaskRequest } from '../domain/dead-letter.ts'

/** Restarts dead letters, and returns quarantined messages, for an operator. Throws as `startQueueTask`. */
export function redriveQueue(deps: Deps, queue: string, request: QueueTaskRequest) {
  return startQueueTask(deps, 'redrive', queue, request)
}

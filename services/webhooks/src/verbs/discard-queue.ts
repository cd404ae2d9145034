import { startQueueTask } from '../broker/queue-task.ts'
import type { Deps } from '../deps.ts'
import type { QueueTaskRequest } from '../domain/dead-letter.ts'

/** Discards dead letters, and removes quarantined messages, for an operator. Throws as `startQueueTask`. */
export function discardQueue(deps: Deps, queue: string, request: QueueTaskRequest) {
  return startQueueTask(deps, 'discard', queue, request)
}

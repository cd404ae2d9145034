import { within } from '@payments/chassis/base/deadline'
import type { Channel } from 'amqplib'
import { callTimeoutMs } from './channel.ts'

export interface QueueCounts {
  /** Messages that no consumer holds. */
  readonly messageCount: number
  readonly consumerCount: number
}

/** How long RabbitMQ waits for the counts of a quorum queue. */
const leaderTimeoutMs = 250

/**
 * The counts of a quorum queue. Undefined: not known. RabbitMQ replies "no messages, no consumers" also when the leader
 * of the queue does not reply within `leaderTimeoutMs` (rabbit_quorum_queue:stat). Such a reply that arrives earlier
 * is of an empty queue, or of one whose leader cannot be reached at all.
 */
export async function readCounts(channel: Channel, queue: string): Promise<QueueCounts | undefined> {
  const startedAt = performance.now()
  const counts = await within(callTimeoutMs, `inspecting ${queue}`, channel.checkQueue(queue))
  const { messageCount, consumerCount } = counts
  const isKnown = messageCount + consumerCount > 0 || performance.now() - startedAt < leaderTimeoutMs
  return isKnown ? { messageCount, consumerCount } : undefined
}

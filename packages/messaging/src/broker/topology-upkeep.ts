import { within } from '@payments/chassis/base/deadline'
import type { Channel } from 'amqplib'
import type { Logger } from 'pino'
import type { BrokerConnection } from './connection.ts'
import { declareTopology, type Topology } from './topology.ts'

export interface TopologyUpkeepOptions {
  readonly connection: BrokerConnection
  readonly topology: Topology
  /** The channel that declares, if there is one. */
  readonly current: () => Channel | undefined
  readonly everyMs: number
  readonly timeoutMs: number
  readonly log: Logger
}

/**
 * Declares a topology again every `everyMs`, because no notification reports a deleted queue. Returns the function that
 * ends it.
 */
export function startUpkeep({ connection, topology, current, everyMs, timeoutMs, log }: TopologyUpkeepOptions) {
  const redeclare = async () => {
    const channel = current()
    if (channel === undefined || connection.isBlocked()) return
    try {
      await within(timeoutMs, 'declaring the topology', declareTopology(channel, topology))
    } catch (error) {
      // An error has closed the channel, which is reopened. After a time-out the next interval declares again.
      log.warn({ err: error }, 'cannot declare the topology again')
    }
  }
  const timer = setInterval(() => void redeclare(), everyMs).unref()
  return () => clearInterval(timer)
}

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
  /** Null: another channel of the process declares the same topology again. */
  readonly everyMs: number | null
  readonly timeoutMs: number
  readonly log: Logger
}

/** Declares a topology again every `everyMs`, because no notification reports a deleted queue. */
export class TopologyUpkeep {
  readonly #options: TopologyUpkeepOptions
  readonly #timer: NodeJS.Timeout | undefined

  constructor(options: TopologyUpkeepOptions) {
    this.#options = options
    if (options.everyMs !== null) this.#timer = setInterval(() => void this.#redeclare(), options.everyMs).unref()
  }

  declare(channel: Channel): Promise<void> {
    return declareTopology(channel, this.#options.topology)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #redeclare(): Promise<void> {
    const { connection, current, timeoutMs, log } = this.#options
    const channel = current()
    if (channel === undefined || connection.isBlocked()) return
    try {
      await within(timeoutMs, 'declaring the topology', this.declare(channel))
    } catch (error) {
      // An error has closed the channel, which is reopened. After a time-out the next interval declares again.
      log.warn({ err: error }, 'cannot declare the topology again')
    }
  }
}

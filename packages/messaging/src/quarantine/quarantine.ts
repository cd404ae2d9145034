import {
  type QuarantineQueueName,
  type QueuedDeadLetter,
  serviceOfQuarantine,
} from '@payments/contracts/endpoints/quarantine'
import { cursorAt, type Page, type PageQuery, positionBehind, positionText } from '@payments/contracts/grammar/page'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { z } from 'zod'
import type { Broker } from '../broker/broker.ts'
import { named, ownExchange, quorumQueue } from '../broker/topology.ts'
import { originalHeaders, presentQuarantined, readOrigin } from './quarantined-message.ts'
import { type BrowsedMessage, QueueBrowser } from './queue-browser.ts'

export interface QuarantineOptions {
  readonly broker: Pick<Broker, 'prefix' | 'consuming' | 'publisher'>
  readonly name: QuarantineQueueName
  /** The consumed queues of the service, without prefix. The first is for a message that names no origin. */
  readonly origins: readonly [string, ...string[]]
  /** Messages of one call, all of them in memory. A message may have 1 MiB. Default: 500. */
  readonly messagesMax?: number
}

/** Some messages by id, or all. */
export interface MessageChoice {
  readonly ids: readonly string[] | undefined
  readonly dryRun: boolean
}

/** A publication is timed from its call, so one slice must be small enough for the time-out of the publisher. */
const sliceMax = 100

interface Redriven {
  readonly message: BrowsedMessage
  readonly origin: string
}

/** Number of messages before the page, and the id of the last of them. */
const queuePosition = z.tuple([z.int().min(1), positionText])

/**
 * **What it does.** Shows the messages of the quarantine queue of a service to operators, returns them to their
 * original queue, or deletes them.
 *
 * **Guarantees.** A redriven message leaves the quarantine after the broker has confirmed its copy in the original
 * queue, with its body, id and headers. It is returned only to a queue that the service consumes: the header that names
 * the origin is data. A crash leaves the message in both queues; consumers are idempotent.
 *
 * **Not guaranteed.** Messages beyond the first `messagesMax` in one call.
 */
export class Quarantine {
  readonly name: QuarantineQueueName
  readonly #options: QuarantineOptions
  readonly #browser: QueueBrowser
  readonly #queue: string
  readonly #exchange: string
  readonly #origins: readonly [string, ...string[]]

  constructor(options: QuarantineOptions) {
    const { broker, name, origins, messagesMax = 500 } = options
    const { prefix, consuming: connection } = broker
    const [first, ...others] = origins
    this.name = name
    this.#options = options
    this.#queue = named(prefix, name)
    this.#exchange = ownExchange(prefix, serviceOfQuarantine(name))
    this.#origins = [named(prefix, first), ...others.map((origin) => named(prefix, origin))]
    const topology = [quorumQueue(this.#queue, { deliveryLimit: null })]
    this.#browser = new QueueBrowser({ connection, topology, messagesMax })
  }

  /** Throws service_unavailable, as every method does, while the broker cannot be reached. */
  async depth(): Promise<number> {
    this.#requireBroker()
    return this.#browser.depth(this.#queue)
  }

  /** Oldest first. Removes no message. */
  async peek({ limit, cursor }: Pick<PageQuery, 'limit' | 'cursor'>): Promise<Page<QueuedDeadLetter>> {
    const after = positionBehind(cursor, queuePosition)
    let page: Page<QueuedDeadLetter> = { data: [], next_cursor: null }
    await this.#browse(async (messages) => {
      // Messages before the page, or the last of them, may have been removed since the previous page.
      // Ids need not be unique, so the position bounds the search.
      const [position, last] = after ?? [0, '']
      const found = messages.slice(0, position).findLastIndex(({ messageId }) => messageId === last)
      const from = found >= 0 ? found + 1 : position
      const end = from + limit
      const data = messages.slice(from, end).map(presentQuarantined)
      page = { data, next_cursor: messages.length > end ? cursorAt([end, data.at(-1)?.id ?? '']) : null }
      return []
    })
    return page
  }

  /**
   * Returns the number of redriven messages, in a dry run of chosen ones. A message of a queue that the service does
   * not consume is not chosen. Throws service_unavailable when no chosen message can be published.
   */
  async redrive(choice: MessageChoice): Promise<number> {
    let count = 0
    await this.#browse(async (messages) => {
      const chosen = selectMessages(choice, messages).flatMap((message) => {
        const origin = readOrigin(message) ?? this.#origins[0]
        return this.#origins.includes(origin) ? [{ message, origin }] : []
      })
      const published = choice.dryRun ? [] : await this.#publishAll(chosen)
      count = choice.dryRun ? chosen.length : published.length
      return published
    })
    return count
  }

  /** Returns the number of chosen messages. */
  async discard(choice: MessageChoice): Promise<number> {
    let count = 0
    await this.#browse(async (messages) => {
      const chosen = selectMessages(choice, messages)
      count = chosen.length
      return choice.dryRun ? [] : chosen
    })
    return count
  }

  async #browse(decide: Parameters<QueueBrowser['browse']>[1]): Promise<void> {
    this.#requireBroker()
    await this.#browser.browse(this.#queue, decide)
  }

  /** Returns the messages that the broker confirmed. Stops after the first slice with a failure. */
  async #publishAll(chosen: readonly Redriven[]): Promise<BrowsedMessage[]> {
    const published: BrowsedMessage[] = []
    for (let from = 0; from < chosen.length; from += sliceMax) {
      const slice = chosen.slice(from, from + sliceMax)
      const results = await Promise.allSettled(slice.map(({ message, origin }) => this.#publish(message, origin)))
      published.push(
        ...slice.flatMap(({ message }, index) => (results[index]?.status === 'fulfilled' ? [message] : [])),
      )
      const failed = results.find((result) => result.status === 'rejected')
      if (failed === undefined) continue
      if (published.length > 0) break
      const detail = 'The broker confirmed no message; all of them remain in quarantine'
      throw new Problem(commonProblems.service_unavailable, { detail, cause: failed.reason })
    }
    return published
  }

  #publish(message: BrowsedMessage, routingKey: string): Promise<void> {
    const { body, messageId } = message
    return this.#options.broker.publisher.publish({
      exchange: this.#exchange,
      routingKey,
      body,
      messageId,
      headers: originalHeaders(message),
    })
  }

  #requireBroker(): void {
    if (this.#options.broker.consuming.ready().ready) return
    throw new Problem(commonProblems.service_unavailable, { detail: 'The service does not reach the broker' })
  }
}

function selectMessages({ ids }: MessageChoice, messages: readonly BrowsedMessage[]): BrowsedMessage[] {
  return ids === undefined ? [...messages] : messages.filter(({ messageId }) => ids.includes(messageId))
}

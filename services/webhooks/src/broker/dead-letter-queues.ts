import type { BrokerConnection } from '@payments/messaging/broker/connection'
import type { Publisher } from '@payments/messaging/broker/publisher'
import { named } from '@payments/messaging/broker/topology'
import { type Decide, QueueBrowser } from '@payments/messaging/quarantine/queue-browser'
import { deadLettersName, operatorTopology, quarantineName, queueNames } from './queues.ts'

export const deadLetterQueueNames = [deadLettersName, quarantineName] as const
export type DeadLetterQueueName = (typeof deadLetterQueueNames)[number]

export function isDeadLetterQueueName(name: string): name is DeadLetterQueueName {
  return (deadLetterQueueNames as readonly string[]).includes(name)
}

export interface DeadLetterMessage {
  readonly id: string
  readonly tenantId: string
  readonly subscriptionId: string
  readonly eventType: string
}

export interface DeadLetterQueuesOptions {
  /** A consuming connection. */
  readonly connection: Pick<BrokerConnection, 'openChannel'>
  readonly publisher: Publisher
  readonly prefix: string
  /** Messages of one browse. */
  readonly messagesMax?: number
}

/** The queues of webhooks that operators inspect: dead letters and quarantined messages. */
export class DeadLetterQueues {
  readonly #options: DeadLetterQueuesOptions
  readonly #browser: QueueBrowser
  /** Messages of one browse. */
  readonly messagesMax: number

  constructor(options: DeadLetterQueuesOptions) {
    const { connection, prefix, messagesMax = 65_000 } = options
    this.#options = options
    this.messagesMax = messagesMax
    this.#browser = new QueueBrowser({ connection, topology: operatorTopology(prefix), messagesMax })
  }

  depth(name: DeadLetterQueueName): Promise<number> {
    return this.#browser.depth(named(this.#options.prefix, name))
  }

  browse(name: DeadLetterQueueName, decide: Decide): Promise<void> {
    return this.#browser.browse(named(this.#options.prefix, name), decide)
  }

  /** Publishes the message of a dead delivery. Rejects with PublishError. */
  publishDeadLetter(dead: DeadLetterMessage): Promise<void> {
    const { id, tenantId, subscriptionId, eventType } = dead
    const body = { delivery_id: id, tenant_id: tenantId, subscription_id: subscriptionId, event_type: eventType }
    const { prefix, publisher } = this.#options
    return publisher.publish({
      exchange: queueNames(prefix).exchange,
      routingKey: named(prefix, deadLettersName),
      body: Buffer.from(JSON.stringify(body)),
      messageId: id,
    })
  }
}

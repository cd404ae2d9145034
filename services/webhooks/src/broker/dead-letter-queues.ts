import type { BrokerConnection } from '@payments/messaging/broker/connection'
import type { Publisher } from '@payments/messaging/broker/publisher'
import { type Decide, QueueBrowser } from '@payments/messaging/quarantine/queue-browser'
import { type DeadLetterMessage, deadLettersName, operatorTopology, quarantineName, queueNames } from './queues.ts'

export const deadLetterQueueNames = [deadLettersName, quarantineName] as const
export type DeadLetterQueueName = (typeof deadLetterQueueNames)[number]

export function isDeadLetterQueueName(name: string): name is DeadLetterQueueName {
  return (deadLetterQueueNames as readonly string[]).includes(name)
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
    return this.#browser.depth(this.#queueName(name))
  }

  browse(name: DeadLetterQueueName, decide: Decide): Promise<void> {
    return this.#browser.browse(this.#queueName(name), decide)
  }

  publishDeadLetter(dead: DeadLetterMessage): Promise<void> {
    const { id, tenantId, subscriptionId, eventType } = dead
    const body = { delivery_id: id, tenant_id: tenantId, subscription_id: subscriptionId, event_type: eventType }
    return this.#options.publisher.publish({
      exchange: queueNames(this.#options.prefix).exchange,
      routingKey: this.#queueName(deadLettersName),
      body: Buffer.from(JSON.stringify(body)),
      messageId: id,
    })
  }

  #queueName(name: DeadLetterQueueName): string {
    const names = queueNames(this.#options.prefix)
    return name === deadLettersName ? names.deadLetters : names.quarantine
  }
}

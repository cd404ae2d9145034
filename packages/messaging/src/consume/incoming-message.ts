import type { ConsumeMessage } from 'amqplib'

export interface IncomingMessage {
  readonly body: Buffer
  readonly messageId: string | undefined
  readonly routingKey: string
  readonly headers: Readonly<Record<string, unknown>>
  /** How often the message was returned to the queue before. */
  readonly deliveryCount: number
}

export function incoming(delivery: ConsumeMessage): IncomingMessage {
  const headers = delivery.properties.headers ?? {}
  const count: unknown = headers['x-delivery-count']
  return {
    body: delivery.content,
    messageId: delivery.properties.messageId as string | undefined,
    routingKey: delivery.fields.routingKey,
    headers,
    deliveryCount: typeof count === 'number' ? count : 0,
  }
}

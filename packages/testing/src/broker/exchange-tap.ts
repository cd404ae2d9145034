/** Reads every message that is published to an exchange, from now on. The queues of others keep their copies. */
import amqp from 'amqplib'

export interface ExchangeTap {
  /** Bodies and properties, in the order of arrival. */
  readonly messages: readonly string[]
  readonly close: () => Promise<void>
}

const connectTimeoutMs = 30_000

export async function tapExchange(url: string, exchange: string): Promise<ExchangeTap> {
  const connection = await amqp.connect(url, { timeout: connectTimeoutMs })
  const channel = await connection.createChannel()
  const { queue } = await channel.assertQueue('', { exclusive: true })
  await channel.bindQueue(queue, exchange, '#')
  const messages: string[] = []
  const keep = (message: amqp.ConsumeMessage | null) => {
    if (message !== null) messages.push(message.content.toString('utf8') + JSON.stringify(message.properties))
  }
  await channel.consume(queue, keep, { noAck: true })
  return { messages, close: () => connection.close() }
}

/**
 * A private corner of the shared broker: a random prefix that every exchange and queue of one test carries (MESSAGING_PREFIX).
 */
import { randomBytes } from 'node:crypto'
import { testAddress } from '@payments/devkit/test-address'
import amqp from 'amqplib'

export interface PrivateBroker {
  readonly url: string
  readonly prefix: string
  /** Deletes what the test declared; names that do not exist are no fault. */
  readonly discard: (names: { queues?: readonly string[]; exchanges?: readonly string[] }) => Promise<void>
}

const connectTimeoutMs = 10_000

export async function privateBroker(url = testAddress('TEST_AMQP_URL')): Promise<PrivateBroker> {
  return {
    url,
    prefix: `t${randomBytes(5).toString('hex')}`,
    async discard({ queues = [], exchanges = [] }) {
      const connection = await amqp.connect(url, { timeout: connectTimeoutMs })
      const channel = await connection.createChannel()
      for (const queue of queues) await channel.deleteQueue(queue)
      for (const exchange of exchanges) await channel.deleteExchange(exchange)
      await connection.close()
    },
  }
}

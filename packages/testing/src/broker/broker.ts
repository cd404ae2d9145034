/**
 * A private part of the shared broker: the exchanges and queues of one test have a random prefix (MESSAGING_PREFIX).
 */
import { randomBytes } from 'node:crypto'
import { auditQueue } from '@payments/contracts/edges/audit-line'
import { domainEventsName, prefixName } from '@payments/contracts/edges/broker-names'
import { testAddress } from '@payments/devkit/tests/test-address'
import amqp from 'amqplib'

export interface PrivateBroker {
  readonly url: string
  readonly prefix: string
  /** Deletes the queues and exchanges of the test; missing ones are ignored. */
  readonly discard: (names: { queues?: readonly string[]; exchanges?: readonly string[] }) => Promise<void>
}

const connectTimeoutMs = 30_000

/** The exchanges that an installation has from its definitions. */
const sharedExchanges = [
  [domainEventsName, 'topic'],
  [auditQueue.exchange, 'direct'],
] as const

export async function privateBroker(url = testAddress('TEST_AMQP_URL')): Promise<PrivateBroker> {
  const prefix = `t${randomBytes(5).toString('hex')}`
  await onChannel(url, async (channel) => {
    for (const [name, type] of sharedExchanges) await channel.assertExchange(prefixName(prefix, name), type)
  })
  return {
    url,
    prefix,
    discard: ({ queues = [], exchanges = [] }) =>
      onChannel(url, async (channel) => {
        for (const queue of queues) await channel.deleteQueue(queue)
        for (const exchange of exchanges) await channel.deleteExchange(exchange)
      }),
  }
}

async function onChannel(url: string, use: (channel: amqp.Channel) => Promise<void>): Promise<void> {
  const connection = await amqp.connect(url, { timeout: connectTimeoutMs })
  await use(await connection.createChannel())
  await connection.close()
}

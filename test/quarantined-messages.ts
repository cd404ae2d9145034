import { createSecretKey, randomUUID } from 'node:crypto'
import { client } from '@payments/chassis/client/client'
import { createLog } from '@payments/chassis/observability/log'
import type { ConsumingService } from '@payments/contracts/endpoints/quarantine'
import type { Contract } from '@payments/contracts/grammar/contract'
import type { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import { openConnection } from '@payments/messaging/broker/connection'
import { PublishError } from '@payments/messaging/broker/publication'
import { Publisher } from '@payments/messaging/broker/publisher'
import { named } from '@payments/messaging/broker/topology'
import type { Platform } from '@payments/testing/platform/local-stack'
import { eventually } from './tenant-resources.ts'

/** The call of `payctl dlq peek` without a start of payctl. */
export function createPeek(platform: Platform, service: ConsumingService, contract: Contract) {
  const operator = client(contract, {
    self: 'payctl',
    operator: 'test@localhost',
    keys: new Map([[service, createSecretKey(platform.edgeKey('payctl', service), 'base64')]]),
    baseUrl: `http://127.0.0.1:${platform.ports[service]}`,
    timeoutMs: 20_000,
  }) as ReturnType<typeof client<typeof paymentProxy, 'payctl'>>
  return async (queue: string) => (await operator.peekQueue({ traceId: randomUUID() }, { params: { queue } })).data
}

/** Messages that no consumer can process. */
export async function publishUnreadable(
  platform: Pick<Platform, 'amqpUrl' | 'messagingPrefix'>,
  queues: readonly string[],
): Promise<void> {
  const log = createLog('test', 'silent')
  const connection = await openConnection({ url: platform.amqpUrl, name: 'test', purpose: 'publish', log })
  const publisher = new Publisher({ connection, topology: [], log })
  for (const queue of queues) {
    const routingKey = named(platform.messagingPrefix, queue)
    const message = { exchange: '', routingKey, body: Buffer.from('not JSON'), messageId: randomUUID() }
    // A consumer declares its queue after the start of its service.
    const publish = async () => {
      const failure = await publisher.publish(message).catch((error: unknown) => error)
      if (failure instanceof PublishError && failure.failure === 'returned') return undefined
      if (failure !== undefined) throw failure
      return true
    }
    await eventually(publish, `a queue ${routingKey}`, 60_000)
  }
  await publisher.close()
  await connection.close()
}

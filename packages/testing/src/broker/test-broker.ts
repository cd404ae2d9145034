import { createLog } from '@payments/chassis/observability/log'
import { type Broker, openBroker } from '@payments/messaging/broker/broker'
import { named, type Topology } from '@payments/messaging/broker/topology'
import { privateBroker } from './broker.ts'

/** The broker of a process, on a private part of the shared one. */
export interface TestBroker extends Broker {
  readonly url: string
  /** Messages in a queue. `name`: without prefix. */
  depth(name: string): Promise<number>
  /** Closes the connections, and deletes the queues and exchanges of these names, without prefix. */
  discard(names: { queues?: readonly string[]; exchanges?: readonly string[] }): Promise<void>
}

/** `topology`: declared before the first publication. */
export async function testBroker(topology: (prefix: string) => Topology = () => []): Promise<TestBroker> {
  const { url, prefix, discard } = await privateBroker()
  const log = createLog('test', 'silent')
  const broker = await openBroker({ url, prefix, name: 'test', topology: topology(prefix), log })
  return {
    ...broker,
    url,
    depth: async (name) => {
      const channel = await broker.consuming.openChannel()
      const { messageCount } = await channel.checkQueue(named(prefix, name))
      await channel.close()
      return messageCount
    },
    discard: async ({ queues = [], exchanges = [] }) => {
      await broker.close()
      const full = (names: readonly string[]) => names.map((name) => named(prefix, name))
      await discard({ queues: full(queues), exchanges: full(exchanges) })
    },
  }
}

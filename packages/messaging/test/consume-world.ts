import { Problem } from '@payments/contracts/grammar/problem'
import { Registry } from 'prom-client'
import { Publisher } from '../src/broker/publisher.ts'
import { binding, quorumQueue, reachedThrough, type Topology, topicExchange } from '../src/broker/topology.ts'
import { type ConsumeOptions, consume } from '../src/consume/consume.ts'
import { brokerProxy, type Cleanup, type PrivateBroker, privateBroker, silent } from './world.ts'

/** A queue with its quarantine queue, a publisher, and a function that starts a consumer. */
interface Parts {
  readonly deliveryLimit?: number
  readonly proxied?: boolean
}

export async function consumerWorld(cleanup: Cleanup, { deliveryLimit = 3, proxied = false }: Parts = {}) {
  const broker = await privateBroker(cleanup, ['work', 'quarantine'], ['facts', 'own'])
  const proxy = await brokerProxy(cleanup)
  const quarantine = { exchange: broker.name('own'), queue: broker.name('quarantine') }
  const topology: Topology = [
    topicExchange(broker.name('facts')),
    ...reachedThrough(quarantine.exchange, [
      quorumQueue(quarantine.queue, { deliveryLimit: null }),
      quorumQueue(broker.name('work'), { deliveryLimit, deadLetterTo: quarantine }),
    ]),
    binding(broker.name('work'), broker.name('facts'), '#'),
  ]
  await broker.declare(topology)
  const address = proxied ? { url: proxy.url } : {}
  const publisher = new Publisher({ connection: await broker.open('publish', address), topology, log: silent })
  cleanup.later(() => publisher.close())
  const connection = await broker.open('consume', address)
  const start = (handle: (value: string) => Promise<void>, options: Partial<ConsumeOptions<string>> = {}) => {
    const consumer = consume({
      connection,
      queue: broker.name('work'),
      quarantine,
      prefetch: 10,
      topology,
      publisher,
      read: readWord,
      handle,
      log: silent,
      metrics: new Registry(),
      retryMinMs: 10,
      retryMaxMs: 50,
      ...options,
    })
    cleanup.later(() => consumer.stop())
    return consumer
  }
  return { broker, proxy, publisher, connection, topology, start }
}

function readWord(body: Buffer): string {
  const value: unknown = JSON.parse(body.toString())
  if (typeof value !== 'string') throw new Error('not a word')
  return value
}

export function send(broker: PrivateBroker, publisher: Publisher, ...words: string[]): Promise<unknown> {
  return Promise.all(
    words.map((word) =>
      publisher.publish({
        exchange: '',
        routingKey: broker.name('work'),
        body: Buffer.from(JSON.stringify(word)),
        messageId: word,
        headers: { kind: 'word' },
      }),
    ),
  )
}

/** A promise with the function that resolves it. */
export function gate() {
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

export const failure = new Problem(
  { code: 'no_such_thing', status: 404, title: 'No such thing' },
  { detail: 'thing 7' },
)

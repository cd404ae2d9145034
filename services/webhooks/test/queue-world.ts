import { randomUUID } from 'node:crypto'
import { expect } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { deadLetterIds } from './dead-letter-world.ts'
import { settled, someEvent, startWorld, subscribe } from './world.ts'

export const dlq = '/internal/dead-letter-queues'
export const path = `${dlq}/webhooks.dead-letters`
export const quarantine = `${dlq}/webhooks.quarantine`

interface Queue {
  readonly name: string
  readonly depth: number
  readonly oldest_at: string | null
}

/** A world whose deliveries are dead after two attempts, with what tests of the queues of operators need. */
export async function startQueueWorld() {
  const world = await startWorld({ schedule: '0s,50ms' })
  const dispatcher = await world.dispatch()
  let endpoint: Receiver | undefined

  const queue = async (name: string): Promise<Queue> => {
    const { body } = await world.asOperator.get(dlq)
    const found = (body as { data: Queue[] }).data.find((one) => one.name === name)
    if (found === undefined) throw new Error(`no queue ${name}`)
    return found
  }

  /** Sends a request as an operator and waits for its task. Returns the number of changed deliveries. */
  const changed = async (verb: 'redrive' | 'discard', queuePath: string, choice: object): Promise<number> => {
    const body = { operator: 'operator-1', ...choice, ...(verb === 'discard' ? { reason: 'a test' } : {}) }
    const reply = await world.asOperator.post(`${queuePath}/${verb}`, body)
    if (reply.status === 200) return reply.body.count
    expect(reply.status).toBe(202)
    let done = 0
    await until(async () => {
      const { body: task } = await world.asOperator.get(`/internal/tasks/${reply.body.task_id}`)
      done = task.done
      return task.status === 'done'
    })
    return done
  }

  return {
    ...world,
    dispatcher,
    queue,
    changed,
    depthIs: (name: string, depth: number) => until(async () => (await queue(name)).depth === depth),
    /** A receiver that responds with 500. */
    openEndpoint: async () => {
      endpoint = await receiver()
      endpoint.respondWith(() => ({ status: 500 }))
      return endpoint
    },
    /** Empties both queues and closes the receiver. */
    clear: async () => {
      await changed('discard', path, { filter: {} })
      await changed('discard', quarantine, { filter: {} })
      await endpoint?.close()
    },
    /** Creates one dead delivery. */
    killOne: async () => {
      if (endpoint === undefined) throw new Error('no endpoint is open')
      const subscribed = await subscribe(world, endpoint.url)
      const event = someEvent(subscribed.tenantId, subscribed.unitId)
      await world.publish(event)
      return { subscribed, event, delivery: await settled(subscribed, 'dead') }
    },
    /** Publishes a message that fan-out cannot read. */
    unreadable: (content: string) =>
      world.broker.publisher.publish({
        exchange: '',
        routingKey: world.names.events,
        body: Buffer.from(content),
        messageId: randomUUID(),
      }),
    /** The queue contains one message per dead delivery now, and no others. */
    expectQueueMatchesRows: async () => {
      const { messages, rows } = await deadLetterIds(world)
      expect(messages).toEqual(rows)
    },
  }
}

export type QueueWorld = Awaited<ReturnType<typeof startQueueWorld>>

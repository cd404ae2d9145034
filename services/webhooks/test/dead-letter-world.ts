import { expect } from '@jest/globals'
import type { Task } from '@payments/contracts/services/webhooks/dead-letters'
import { until } from '@payments/testing/services/until'
import { type Subscribed, someEvent, type World } from './world.ts'

export const letters = '/v1/webhooks/dead-letters'

/** Creates `count` dead letters of one subscription, oldest event first. */
export async function kill(
  world: World,
  count: number,
  subscribed: Subscribed,
  type = 'payment-proxy.transactions.capture',
) {
  const before = (await dead(subscribed)).length
  const events = Array.from({ length: count }, () => someEvent(subscribed.tenantId, subscribed.unitId, { type }))
  await Promise.all(events.map((event) => world.publish(event)))
  await until(async () => (await dead(subscribed)).length === before + count)
  return events
}

export async function dead({ tenant, id }: Subscribed, query = ''): Promise<{ id: string; tenant_event_id: string }[]> {
  const { body } = await tenant.get(`${letters}?limit=200&subscription_id=${id}${query}`)
  return body.data
}

export async function startTask({ tenant }: Subscribed, verb: 'redrive' | 'discard', body: object): Promise<string> {
  const reply = await tenant.post(`${letters}/${verb}`, {
    ...body,
    ...(verb === 'discard' ? { reason: 'obsolete' } : {}),
  })
  expect(reply.status).toBe(202)
  return reply.body.task_id
}

export async function readTask({ tenant }: Subscribed, id: string): Promise<Task> {
  return (await tenant.get(`${letters}/tasks/${id}`)).body
}

export async function ended(subscribed: Subscribed, id: string): Promise<Task> {
  await until(async () => (await readTask(subscribed, id)).status !== 'running', 60_000)
  return readTask(subscribed, id)
}

/** The ids of the messages in webhooks.dead-letters, and those of the dead rows, sorted. */
export async function deadLetterIds(world: Pick<World, 'broker' | 'db'>) {
  const messages: string[] = []
  await world.broker.deadLetters.browse('webhooks.dead-letters', async (browsed) => {
    messages.push(...browsed.map(({ messageId }) => messageId))
    return []
  })
  const rows = await world.db.acrossTenants((tx) => tx.delivery.findMany({ where: { status: 'dead' } }))
  return { messages: messages.sort(), rows: rows.map(({ id }) => id).sort() }
}

/** Waits until the queue contains one message per dead delivery, and no others. */
export async function expectQueueMatchesRows(world: World) {
  const matches = until(async () => {
    const { messages, rows } = await deadLetterIds(world)
    return JSON.stringify(messages) === JSON.stringify(rows)
  }, 60_000)
  await expect(matches).resolves.toBeUndefined()
}

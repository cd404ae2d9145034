import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Task } from '@payments/contracts/services/webhooks/dead-letters'
import { withClient } from '@payments/devkit/servers/databases'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { dead, ended, expectQueueMatchesRows, kill, readTask, startTask } from './dead-letter-world.ts'
import { startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s', breaker: { attemptsMin: 1_000 } })
  await world.dispatch()
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
  endpoint.respondWith(() => ({ status: 500, body: 'out of order' }))
})
afterEach(() => endpoint.close())

/** Replaces webhooks.dead-letters by a queue with other arguments, so that each declaration of it fails. */
async function replaceQueue(own: World) {
  for (;;) {
    const channel = await own.broker.consuming.openChannel()
    try {
      await channel.deleteQueue(own.names.deadLetters)
      await channel.assertQueue(own.names.deadLetters, { durable: true })
      return channel
    } catch (error) {
      // A reconciliation declared the queue between the two.
      if (!String(error).includes('PRECONDITION')) throw error
    }
  }
}

describe('tasks', () => {
  test('are shared by the dispatchers, and no delivery is counted twice', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await kill(world, 40, subscribed)
    const half = { filter: {}, rate_per_second: 100 }
    const ids = await Promise.all([1, 2, 3, 4].map(() => startTask(subscribed, 'discard', half)))
    const tasks = await Promise.all(ids.map((id) => ended(subscribed, id)))
    expect(tasks.map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done'])
    expect(tasks.reduce((sum, { done }) => sum + done, 0)).toBe(40)
    expect(await dead(subscribed)).toEqual([])
    const rows = await world.db.inTenant(subscribed.tenantId, (tx) => tx.delivery.findMany({ omit: { body: true } }))
    expect(rows.map(({ status, discardReason }) => [status, discardReason])).toEqual(
      Array.from({ length: 40 }, () => ['discarded', 'obsolete']),
    )
    expect(rows.every(({ discardedBy }) => discardedBy?.startsWith('api_key:'))).toBe(true)
    await expectQueueMatchesRows(world)
  })

  test('fail after ten failed batches in a row, and report the failure', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    const id = randomUUID()
    await withClient(world.database.ownerUrl, async (owner) => {
      await owner.query(`SET app.tenant_id = '*'`)
      await owner.query(
        `INSERT INTO tasks (id, tenant_id, kind, selection, total, created_by, failures)
         VALUES ($1, $2, 'redrive', '{"ids":["no uuid"]}', 1, 'a test', 9)`,
        [id, subscribed.tenantId],
      )
    })
    expect(await ended(subscribed, id)).toMatchObject({ id, kind: 'redrive', status: 'failed', total: 1, done: 0 })
  })

  test('end while webhooks.dead-letters fails', async () => {
    const own = await startWorld({ schedule: '0s', breaker: { attemptsMin: 1_000 } })
    await own.dispatch()
    const subscribed = await subscribe(own, endpoint.url)
    await kill(own, 3, subscribed)
    const channel = await replaceQueue(own)
    await expect(own.reconcile(0)).rejects.toThrow('PRECONDITION')
    const ids = await Promise.all([
      startTask(subscribed, 'redrive', { filter: {} }),
      startTask(subscribed, 'discard', { ids: [randomUUID()] }),
    ])
    for (const id of ids) expect(await ended(subscribed, id)).toMatchObject({ status: 'done' })
    await channel.deleteQueue(own.names.deadLetters)
    await own.stop()
  })

  test('of all tenants are visible to operators, who can cancel them', async () => {
    const subscribed = await subscribe(world, endpoint.url)
    await kill(world, 3, subscribed)
    const id = await startTask(subscribed, 'discard', { filter: {}, rate_per_second: 1 })
    const listed = (await world.asOperator.get('/internal/tasks')).body.data.find((one: Task) => one.id === id)
    expect(listed).toMatchObject({ kind: 'discard', tenant_id: subscribed.tenantId, reason: 'obsolete', total: 3 })
    const canceled = await world.asOperator.post(`/internal/tasks/${id}/cancel`, { operator: 'operator-1' })
    expect(canceled.body).toMatchObject({ id, status: 'canceled', created_by: expect.stringMatching(/^api_key:/) })
    expect(await readTask(subscribed, id)).toMatchObject({ status: 'canceled' })
  })
})

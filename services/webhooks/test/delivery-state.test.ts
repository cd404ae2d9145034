import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type DeliveryStatus, deliveryStatuses } from '@payments/contracts/services/webhooks/delivery'
import { columns, deliveryStates } from '../src/domain/delivery/delivery-state.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

interface Row {
  readonly status: DeliveryStatus
  readonly published: boolean
  readonly backlogged: boolean
  readonly sweepAt: boolean
}

const booleans = [false, true]
const rows: Row[] = deliveryStatuses.flatMap((status) =>
  booleans.flatMap((published) =>
    booleans.flatMap((backlogged) => booleans.map((sweepAt) => ({ status, published, backlogged, sweepAt }))),
  ),
)

function isAllowed({ status, published, backlogged, sweepAt }: Row): boolean {
  return deliveryStates.some((state) => {
    const implied = columns[state]
    const matches =
      implied.statuses.includes(status) && implied.backlogged === backlogged && implied.sweepAt === sweepAt
    return matches && (!published || state === 'scheduled')
  })
}

function insert(
  { status, published, backlogged, sweepAt }: Row,
  instants: { nextAttemptAt?: Date; deadAt?: Date } = {},
) {
  const tenantId = randomUUID()
  const now = new Date()
  const data = {
    id: randomUUID(),
    tenantId,
    subscriptionId: randomUUID(),
    businessUnitId: randomUUID(),
    tenantEventId: randomUUID(),
    eventType: 'a.b',
    occurredAt: now,
    traceId: randomUUID(),
    body: Buffer.from('{}'),
    status,
    published,
    backlogged,
    sweepAt: sweepAt ? now : null,
    deadAt: status === 'dead' ? now : null,
    ...instants,
  }
  return world.db.inTenant(tenantId, (tx) => tx.delivery.create({ data }))
}

describe('the database accepts a row exactly when the table of states has its columns', () => {
  test.each(rows)('$status published=$published backlogged=$backlogged sweepAt=$sweepAt', async (row) => {
    const inserted = insert(row)
    if (isAllowed(row)) await expect(inserted).resolves.toBeDefined()
    else await expect(inserted).rejects.toThrow(/deliveries_state/)
  })

  test.each(['delivered', 'dead', 'discarded'] as const)('%s has no next attempt', async (status) => {
    const row = { status, published: false, backlogged: false, sweepAt: false }
    await expect(insert(row, { nextAttemptAt: new Date() })).rejects.toThrow(/deliveries_state/)
  })

  test('only a dead or discarded delivery has dead_at', async () => {
    const final = { published: false, backlogged: false, sweepAt: false }
    await expect(insert({ status: 'delivered', ...final }, { deadAt: new Date() })).rejects.toThrow(
      /deliveries_dead_at/,
    )
    await expect(insert({ status: 'discarded', ...final }, { deadAt: new Date() })).resolves.toBeDefined()
  })
})

test('every status belongs to a state', () => {
  expect(new Set(deliveryStates.flatMap((state) => columns[state].statuses))).toEqual(new Set(deliveryStatuses))
})

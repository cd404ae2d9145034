import { expect } from '@jest/globals'
import type { App } from '@payments/chassis/request/app'
import type { RotationProgress } from '@payments/contracts/endpoints/key-rotation'
import type { World } from './world.ts'

/**
 * A rotation covers the keys of all tenants, so each test starts with empty tables. A test rotates in a process of its
 * own rings of keys, and leaves those of the world unchanged.
 */
export async function clearTables(world: World): Promise<void> {
  await world.rows('DELETE FROM keys RETURNING id')
  await world.rows('DELETE FROM data_keys RETURNING id')
}

export async function tenantsWithKeys(world: World, tenants: number, keysEach = 1) {
  const created: { value: string; id: string; tenantId: string }[] = []
  for (let i = 0; i < tenants; i += 1) {
    const tenant = await world.tenant()
    for (let j = 0; j < keysEach; j += 1) {
      const { body } = await tenant.by().create()
      created.push({ value: body.value, id: body.id, tenantId: tenant.id })
    }
  }
  return created
}

/** Calls until `next` is null, as payctl does. */
export async function allBatches(world: World, through: App, limit: number): Promise<RotationProgress[]> {
  const batches: RotationProgress[] = []
  let body: { after: string | null; limit: number; current?: string } = { after: null, limit }
  for (let i = 0; i < 100; i += 1) {
    const reply = await world.service(through).rotatePepper(body)
    expect(reply.status).toBe(200)
    batches.push(reply.body)
    if (reply.body.next === null) return batches
    body = { after: reply.body.next, limit, current: reply.body.current }
  }
  throw new Error('the rotation did not end after 100 batches')
}

export const sumProgress = (batches: RotationProgress[]) =>
  batches.map(({ done, failed, remaining }) => [done, failed, remaining])

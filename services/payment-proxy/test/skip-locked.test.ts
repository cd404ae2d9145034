import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { whileLocked } from '@payments/testing/database/held-lock'
import { startWorld, type TestTenant, type World } from './world.ts'

/** Several processes run the same job: none waits for a row that another one works on. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** Runs the job while another session holds the row of the first tenant. */
const whileHeld = (table: string, { id }: TestTenant, job: () => Promise<unknown>) =>
  whileLocked(world.database.ownerUrl, [`SELECT 1 FROM ${table} WHERE tenant_id = $1::uuid FOR UPDATE`, id], job)

const readStatus = async ({ tenant, id }: { tenant: TestTenant; id: string }): Promise<string> =>
  (await tenant.read(id)).body.status

test('an open operation that another process resumes delays no other', async () => {
  const held = await world.authorized('timeout_applied')
  const free = await world.authorized('timeout_applied')
  world.advanceClock(60_000)
  await whileHeld('operations', held.tenant, world.resumeOpen)
  expect([await readStatus(held), await readStatus(free)]).toEqual(['pending', 'authorized'])
  await world.resumeOpen()
  expect(await readStatus(held)).toBe('authorized')
})

test('a refund that another process fails delays no other', async () => {
  const [held, free] = [await world.captured('refund_fails_later'), await world.captured('refund_fails_later')]
  for (const { tenant, id } of [held, free]) expect((await tenant.refund(id)).status).toBe(200)
  const readState = async ({ tenant }: typeof held) => (await tenant.ledger()).at(-1)?.state
  world.advanceClock(6_000)
  await whileHeld('sandbox_operations', held.tenant, world.failSandboxRefunds)
  expect([await readState(held), await readState(free)]).toEqual(['succeeded', 'declined'])
  await world.failSandboxRefunds()
  expect(await readState(held)).toBe('declined')
})

test('an expired authorization that another process releases delays no other', async () => {
  const [held, free] = [await world.authorized(), await world.authorized()]
  world.advanceClock(7 * 24 * 60 * 60 * 1_000)
  await whileHeld('transactions', held.tenant, world.releaseExpired)
  expect([await readStatus(held), await readStatus(free)]).toEqual(['authorized', 'voided'])
  while ((await world.releaseExpired()) > 0);
  expect(await readStatus(held)).toBe('voided')
})

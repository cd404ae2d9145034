import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Tx } from '../src/store/database.ts'
import { startWorld, type World } from './world.ts'

/** A deadlock and a serialization failure, as Prisma and its adapter report them from each kind of query. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const lockers: Record<string, (tx: Tx, id: string) => Promise<unknown>> = {
  'a raw query': (tx, id) => tx.$queryRaw`SELECT 1 FROM transactions WHERE id = ${id}::uuid FOR UPDATE`,
  'a raw query of a string': (tx, id) =>
    tx.$queryRawUnsafe('SELECT 1 FROM transactions WHERE id = $1::uuid FOR UPDATE', id),
  'a raw statement': (tx, id) => tx.$executeRaw`UPDATE transactions SET version = version + 1 WHERE id = ${id}::uuid`,
  'a query of a model': (tx, id) => tx.transaction.updateMany({ where: { id }, data: { version: { increment: 1 } } }),
}

test.each(Object.entries(lockers))('runs again after a deadlock in %s', async (_name, lock) => {
  const tenant = world.tenant()
  const [one, other] = [(await tenant.create()).body.id, (await tenant.create()).body.id]
  let [runs, holding, open] = [0, 0, () => {}]
  const bothHold = new Promise<void>((resolve) => {
    open = resolve
  })
  const cross = (first: string, second: string) =>
    world.deps.db.inTenant(tenant.id, async (tx) => {
      runs += 1
      await lock(tx, first)
      holding += 1
      if (holding === 2) open()
      await bothHold
      await lock(tx, second)
      return first
    })
  expect(await Promise.all([cross(one, other), cross(other, one)])).toEqual([one, other])
  // The victim's next run can take its first row before the survivor wakes: the two then deadlock again.
  expect(runs).toBeGreaterThanOrEqual(3)
})

test.each(['40001', '40P01'])('runs again after %s at the commit', async (code) => {
  const [key, tenantId] = [`commit ${code}`, randomUUID()]
  await world.rows('CREATE SEQUENCE IF NOT EXISTS commits')
  await world.rows('GRANT USAGE ON SEQUENCE commits TO payments_payment_proxy_app')
  // A sequence is not rolled back: the first two commits fail, the third succeeds.
  await world.rows(`CREATE OR REPLACE FUNCTION fail_twice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('commits') % 3 <> 0 THEN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END IF; RETURN NULL; END $$`)
  await world.rows('DROP TRIGGER IF EXISTS fail_twice ON idempotency_keys')
  await world.rows(`CREATE CONSTRAINT TRIGGER fail_twice AFTER INSERT ON idempotency_keys DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION fail_twice()`)
  let runs = 0
  await world.deps.db.inTenant(tenantId, async (tx) => {
    runs += 1
    await tx.idempotencyKey.create({ data: { tenantId, key, fingerprint: 'f', expiresAt: new Date() } })
  })
  await world.rows('DROP TRIGGER fail_twice ON idempotency_keys')
  const stored = await world.rows('SELECT 1 FROM idempotency_keys WHERE tenant_id = $1::uuid', tenantId)
  expect([runs, stored.length]).toEqual([3, 1])
})

test('does not run again after a unique violation', async () => {
  const [tenantId, key] = [randomUUID(), 'key']
  let runs = 0
  const twice = world.deps.db.inTenant(tenantId, async (tx) => {
    runs += 1
    const data = { tenantId, key, fingerprint: 'f', expiresAt: new Date() }
    await tx.idempotencyKey.create({ data })
    await tx.idempotencyKey.create({ data })
  })
  await expect(twice).rejects.toMatchObject({ code: 'P2002' })
  expect(runs).toBe(1)
})

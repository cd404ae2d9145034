import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { acceptErasure } from '@payments/payer-erasure/consumer'
import { redactOldRows } from '@payments/payer-erasure/retention'
import { erasureTurns, runErasures } from '@payments/payer-erasure/run-erasures'
import { until } from '@payments/testing/services/until'
import { erasureJob, retainedCodes } from '../src/erasure/steps.ts'
import { codesPath, pathOf, startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const accept = (tenant: TestTenant, recipient: string) =>
  acceptErasure(world.db, {
    tenant_id: tenant.id,
    trace_id: randomUUID(),
    payload: { erasure_id: randomUUID(), recipient },
  })
const run = () => runErasures(world.db, erasureTurns(), erasureJob)
const secondPassIsDue = (tenant: TestTenant) =>
  world.rows('UPDATE payer_erasures SET due_at = now() WHERE tenant_id = $1::uuid', tenant.id)

/** The tables of the database in which a row of the tenant names the text. */
async function tablesWith(tenant: TestTenant, text: string): Promise<string[]> {
  const tables = await world.rows<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'tenant_id' ORDER BY table_name`,
  )
  const sql = (name: string) =>
    `SELECT 1 FROM "${name}" AS t WHERE tenant_id = $1::uuid AND strpos(lower(t::text), lower($2)) > 0 LIMIT 1`
  const found = await Promise.all(tables.map(({ name }) => world.rows(sql(name), tenant.id, text)))
  return tables.filter((_, index) => found[index]?.length === 1).map(({ name }) => name)
}

const details = { communication_details: { payer_name: 'Ada Byron' }, return_url: 'https://shop.example.com/ada' }

test('cancels an active code of an erased payer with its event, and keeps no copy of the payer', async () => {
  const [tenant, stranger] = [world.tenant(), world.tenant()]
  const recipient = `ada.${randomUUID()}@example.com`
  const code = await tenant.create({ recipient, ...details }, { 'Idempotency-Key': randomUUID() })
  const other = await tenant.create({ recipient: 'other@example.com' })
  const foreign = await stranger.create({ recipient })
  await accept(tenant, recipient.toUpperCase())
  await run()
  expect(await tenant.read(code.id)).toMatchObject({
    status: 'canceled',
    canceled_by: 'request',
    recipient: 'erased',
    communication_details: {},
    return_url: null,
    amount: code.amount,
  })
  expect(await tenant.read(other.id)).toMatchObject({ status: 'active', recipient: 'other@example.com' })
  expect(await stranger.read(foreign.id)).toMatchObject({ status: 'active', recipient })
  expect((await world.payer.get(pathOf(code))).status).toBe(410)
  const events = await tenant.events()
  const canceled = events.find(({ type }) => type === 'invite-to-pay.codes.cancel')
  expect(canceled?.payload.code).toMatchObject({ id: code.id, recipient: 'erased' })
  const reports = events.filter(({ type }) => type === 'invite-to-pay.payers.erased')
  expect(reports.map(({ payload }) => payload)).toMatchObject([
    { service: 'invite-to-pay', resource_ids: [code.id] },
    { resource_ids: [], is_last: true },
  ])
  expect(await tablesWith(tenant, recipient)).toEqual(['payer_erasures'])
  expect(await tablesWith(tenant, 'Ada Byron')).toEqual([])
  await secondPassIsDue(tenant)
  await run()
  expect(await tablesWith(tenant, recipient)).toEqual([])
})

test('a message that waits is not sent to an erased payer', async () => {
  const tenant = world.tenant()
  const recipient = `waits.${randomUUID()}@example.com`
  const code = await tenant.create({ recipient })
  await accept(tenant, recipient)
  await run()
  const loop = world.startSending()
  await until(async () => {
    const sql = 'SELECT 1 FROM messages WHERE tenant_id = $1::uuid AND due_at IS NOT NULL'
    return (await world.rows(sql, tenant.id)).length === 0
  })
  await loop.stop()
  expect((await tenant.read(code.id)).communication_id).toBeNull()
})

test('an erased payer gets no code by an event of the transaction', async () => {
  const tenant = world.tenant()
  const invitation = {
    communication_type: 'EMAIL' as const,
    recipient: 'erased',
    template_id: null,
    communication_details: {},
    expires_at: null,
    reminder_at: null,
    return_url: null,
  }
  const transaction = tenant.transaction({ i2p: true, invitation })
  await world.event(tenant.id, transaction, null)
  expect((await tenant.get(codesPath).expect(200)).body.data).toEqual([])
})

test('redacts ended codes after their days; ten thousand of one tenant do not delay another', async () => {
  const [many, one] = [world.tenant(), world.tenant()]
  const [code, mine, active] = [await many.create(details), await one.create(details), await one.create(details)]
  for (const [tenant, { id }] of [
    [many, code],
    [one, mine],
  ] as const)
    await tenant.post(`${codesPath}/${id}/cancel`, {}).expect(200)
  await world.copyCode(code.id, 9_999)
  await world.rows(`UPDATE codes SET updated_at = updated_at - interval '366 days' WHERE tenant_id = ANY($1::uuid[])`, [
    many.id,
    one.id,
  ])
  const redact = (days: number) => redactOldRows(world.db, retainedCodes, { days, now: new Date() })
  expect([await redact(0), await redact(367)]).toEqual([0, 0])
  expect(await redact(365)).toBe(5_001)
  expect(await one.read(mine.id)).toMatchObject({ recipient: 'erased', communication_details: {}, return_url: null })
  expect(await one.read(active.id)).toMatchObject({ recipient: 'payer@example.com', ...details })
  expect([await redact(365), await redact(365)]).toEqual([5_000, 0])
})

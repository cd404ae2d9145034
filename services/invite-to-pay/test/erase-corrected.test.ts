import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { acceptErasure } from '@payments/payer-erasure/consumer'
import { erasureTurns, runErasures } from '@payments/payer-erasure/run-erasures'
import { erasureJob } from '../src/erasure/steps.ts'
import { purgeExpired } from '../src/verbs/purge-expired.ts'
import { codesPath, startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('an address that the tenant corrected is erased from events of before, and the code of the other payer stays', async () => {
  const [tenant, stranger] = [world.tenant(), world.tenant()]
  const [wrong, right] = [`wrong.${randomUUID()}@example.com`, `right.${randomUUID()}@example.com`]
  const correct = (owner: TestTenant, { id }: { readonly id: string }, recipient: string) =>
    owner.patch(`${codesPath}/${id}`, { recipient }).expect(200)
  const code = await tenant.create({ recipient: wrong })
  const respelled = await tenant.create({ recipient: right })
  await correct(tenant, code, right)
  await correct(tenant, respelled, right.toUpperCase().replace('@EXAMPLE.COM', '+shop@example.com'))
  await correct(stranger, await stranger.create({ recipient: wrong }), right)
  const corrected = () =>
    world.rows<{ tenant: string }>(
      'SELECT tenant_id::text AS tenant FROM corrected_recipients WHERE address = $1',
      wrong,
    )
  expect((await corrected()).map((row) => row.tenant).sort()).toEqual([tenant.id, stranger.id].sort())
  expect(await world.rows('SELECT 1 FROM corrected_recipients WHERE address = $1', right)).toEqual([])
  await acceptErasure(world.db, {
    tenant_id: tenant.id,
    trace_id: randomUUID(),
    payload: { erasure_id: randomUUID(), recipient: wrong.toUpperCase(), requested_at: new Date().toISOString() },
  })
  await runErasures(world.deps, erasureTurns(), erasureJob)
  expect(await tenant.read(code.id)).toMatchObject({ status: 'active', recipient: right })
  const events = await tenant.events()
  const reports = events.filter(({ type }) => type === 'invite-to-pay.payers.erased').map(({ payload }) => payload)
  expect(reports).toMatchObject([
    { resource_ids: [code.id], versions_below: 2 },
    { resource_ids: [], versions_below: null, is_last: true },
  ])
  const ofCode = events.filter(({ payload }) => payload.code?.id === code.id)
  expect(ofCode.map(({ payload }) => [payload.version, payload.code.recipient])).toEqual([
    [1, 'erased'],
    [2, right],
  ])
  expect((await corrected()).map((row) => row.tenant)).toEqual([stranger.id])
})

test('a corrected address is deleted after 90 days', async () => {
  const tenant = world.tenant()
  const code = await tenant.create({ recipient: 'first@example.com' })
  await tenant.patch(`${codesPath}/${code.id}`, { recipient: 'second@example.com' }).expect(200)
  const left = () => world.rows('SELECT address FROM corrected_recipients WHERE tenant_id = $1::uuid', tenant.id)
  const age = (days: number) =>
    world.rows(
      `UPDATE corrected_recipients SET corrected_at = now() - $2::int * interval '1 day' WHERE tenant_id = $1::uuid`,
      tenant.id,
      days,
    )
  await age(89)
  await purgeExpired(world.deps)
  expect(await left()).toEqual([{ address: 'first@example.com' }])
  await age(91)
  await purgeExpired(world.deps)
  expect(await left()).toEqual([])
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { payPagePath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const details = { communication_details: { payer_name: 'Ada Byron' }, return_url: 'https://shop.example.com/ada' }

test('an export has the codes of the payer without links, in pages', async () => {
  const tenant = world.tenant()
  const recipient = `export.${randomUUID()}@example.com`
  const [first, second] = [await tenant.create({ recipient, ...details }), await tenant.create({ recipient })]
  await tenant.create()
  await world.pay(second)
  const exported = async (body: object) =>
    (await world.asOperator.post(`/internal/tenants/${tenant.id}/payers/export`, body).expect(200)).body
  const whole = await exported({ recipient })
  expect(whole).toMatchObject({
    data: [
      { id: first.id, recipient, ...details, payer_locale: null, payer_time_zone: null },
      { id: second.id, payer_locale: 'en' },
    ],
    next_after: null,
  })
  expect(JSON.stringify(whole)).not.toContain(payPagePath(first))
  expect(await exported({ recipient, limit: 1 })).toMatchObject({ data: [{ id: first.id }], next_after: first.id })
  expect(await exported({ recipient, limit: 1, after: first.id })).toMatchObject({ data: [{ id: second.id }] })
})

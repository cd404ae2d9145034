import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { codesPath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('finds the codes of a phone number however it is written', async () => {
  const tenant = world.tenant()
  const { id } = await tenant.create({ communication_type: 'SMS', recipient: '+49 30 123456' })
  for (const written of ['+49 30 123456', '+49-30-123456', '+4930123456']) {
    for (const value of [encodeURIComponent(written), written.replaceAll(' ', '%20')]) {
      const { body } = await tenant.get(`${codesPath}?recipient=${value}`).expect(200)
      expect(body.data.map((code: { id: string }) => code.id)).toEqual([id])
    }
  }
})

test('lists the codes of the tenant without their links, newest first, by each filter', async () => {
  const tenant = world.tenant()
  const first = await tenant.create({ recipient: 'a@example.com' })
  const second = await tenant.create({ recipient: 'b@example.com' })
  await world.tenant().create()
  await tenant.post(`${codesPath}/${first.id}/cancel`).expect(200)
  const list = async (query: string) =>
    (await tenant.get(`${codesPath}${query}`).expect(200)).body.data.map(({ id }: { id: string }) => id)
  const { body } = await tenant.get(codesPath).expect(200)
  expect(body.data.map(({ id, url }: { id: string; url: string }) => [id, url])).toEqual([
    [second.id, null],
    [first.id, null],
  ])
  expect(await list('?status=canceled')).toEqual([first.id])
  expect(await list('?recipient=b%40example.com')).toEqual([second.id])
  expect(await list(`?transaction_id=${first.transaction_id}`)).toEqual([first.id])
  expect(await list(`?business_unit_id=${tenant.unitId}`)).toHaveLength(2)
  const { body: page } = await tenant.get(`${codesPath}?limit=1`).expect(200)
  expect(await list(`?limit=1&cursor=${page.next_cursor}`)).toEqual([first.id])
})

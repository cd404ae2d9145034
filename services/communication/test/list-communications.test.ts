import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('lists the messages of the tenant newest first, by recipient, status, template and unit', async () => {
  const tenant = world.tenant()
  await world.tenant().send()
  const { body: template } = await tenant.template()
  const unit = tenant.addUnit()
  const first = (await tenant.send()).body
  const second = (await tenant.send({ recipient: 'ada@example.com', business_unit_id: unit })).body
  const parts = { template_id: template.id, variables: { name: 'Ada' }, subject: undefined, text: undefined }
  const third = (await tenant.send(parts)).body
  const list = async (query: string) =>
    (await tenant.get(`/v1/communication/communications?${query}`).expect(200)).body.data
  expect(await list('limit=50')).toEqual([third, second, first])
  expect(await list('recipient=ada%40example.com')).toEqual([second])
  expect(await list(`business_unit_id=${unit}`)).toEqual([second])
  expect(await list(`template_id=${template.id}`)).toEqual([third])
  expect(await list('status=queued')).toHaveLength(3)
  expect(await list('status=sent')).toEqual([])
  const page = await tenant.get('/v1/communication/communications?limit=2')
  expect(await list(`limit=2&cursor=${page.body.next_cursor}`)).toEqual([first])
})

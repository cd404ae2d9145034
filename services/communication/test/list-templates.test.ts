import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const path = '/v1/communication/templates'

test('lists the templates of the tenant newest first, then the built-in ones, page by page', async () => {
  const tenant = world.tenant()
  await world.tenant().template()
  const older = (await tenant.template({ name: 'Older' })).body
  const newer = (await tenant.template({ name: 'Newer' })).body
  const { body: whole } = await tenant.get(path)
  expect(whole.data.slice(0, 2)).toEqual([newer, older])
  const builtIn = whole.data
    .slice(2)
    .map((one: Record<string, string>) => `${one['name']} ${one['communication_type']}`)
  const names = ['invitation', 'reminder', 'receipt', 'authorization'].flatMap((name) => [
    `${name} EMAIL`,
    `${name} SMS`,
  ])
  expect(builtIn.sort()).toEqual(names.sort())
  const paged: unknown[] = []
  let cursor = ''
  do {
    const { body } = await tenant.get(`${path}?limit=3${cursor}`).expect(200)
    paged.push(...body.data)
    cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
  } while (cursor !== '')
  expect(paged).toEqual(whole.data)
})

test('filters by kind, by channel and by the business unit that can use a template', async () => {
  const tenant = world.tenant()
  const other = tenant.addUnit()
  const general = (await tenant.template()).body
  const own = (await tenant.template({ business_unit_id: tenant.unitId })).body
  await tenant.template({ business_unit_id: other })
  const sms = { communication_type: 'SMS', subject: null, html: null }
  const short = (await tenant.template({ ...sms, business_unit_id: tenant.unitId })).body
  const list = async (query: string) => (await tenant.get(`${path}?${query}`).expect(200)).body.data
  expect(await list(`kind=custom&business_unit_id=${tenant.unitId}`)).toEqual([short, own, general])
  expect(await list(`kind=custom&communication_type=SMS`)).toEqual([short])
  expect(await list('kind=built_in&communication_type=EMAIL')).toHaveLength(4)
})

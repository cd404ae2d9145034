import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { builtInTemplates } from '../src/domain/built-in-templates.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const versionsPath = (id: string) => `/v1/communication/templates/${id}/versions`

test('lists every version newest first, page by page, and to no other tenant', async () => {
  const tenant = world.tenant()
  const { body: template } = await tenant.template()
  await tenant.patch(`/v1/communication/templates/${template.id}`, { text: 'Second {{name}}' }).expect(200)
  await tenant.patch(`/v1/communication/templates/${template.id}`, { text: 'Third {{name}}' }).expect(200)
  const { body: first } = await tenant.get(`${versionsPath(template.id)}?limit=2`).expect(200)
  const { body: second } = await tenant
    .get(`${versionsPath(template.id)}?limit=2&cursor=${first.next_cursor}`)
    .expect(200)
  const texts = [...first.data, ...second.data].map(({ version, text }) => [version, text])
  expect(texts).toEqual([
    [3, 'Third {{name}}'],
    [2, 'Second {{name}}'],
    [1, 'Dear {{name}}, welcome.'],
  ])
  expect(second.next_cursor).toBeNull()
  const { status, body } = await world.tenant().get(versionsPath(template.id))
  expect([status, body.code]).toEqual([404, 'template_not_found'])
})

test('retains the last 100 versions', async () => {
  const tenant = world.tenant()
  const { body: template } = await tenant.template()
  await world.rows('UPDATE templates SET version = 100 WHERE id = $1::uuid RETURNING version', template.id)
  await tenant.patch(`/v1/communication/templates/${template.id}`, { text: 'Later' }).expect(200)
  const { body } = await tenant.get(versionsPath(template.id)).expect(200)
  expect(body.data.map(({ version }: { version: number }) => version)).toEqual([101])
})

test('a built-in template has one version', async () => {
  const [builtIn] = builtInTemplates
  const { body } = await world
    .tenant()
    .get(versionsPath(builtIn?.id ?? ''))
    .expect(200)
  expect(body.data).toMatchObject([{ template_id: builtIn?.id, version: builtIn?.version, text: builtIn?.text }])
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const templatePath = (id: string) => `/v1/communication/templates/${id}`

test('reads a template of the tenant, and none of another tenant', async () => {
  const tenant = world.tenant()
  const { body: template } = await tenant.template()
  expect((await tenant.get(templatePath(template.id))).body).toEqual(template)
  for (const [reader, id] of [
    [world.tenant(), template.id],
    [tenant, randomUUID()],
  ] as const) {
    const { status, body } = await reader.get(templatePath(id))
    expect([status, body.code]).toEqual([404, 'template_not_found'])
  }
})

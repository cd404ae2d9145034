import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { builtInTemplates } from '../src/domain/built-in-templates.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const templatePath = (id: string) => `/v1/communication/templates/${id}`

test('hides a deleted template, and emits one event for ten deletions at once', async () => {
  const tenant = world.tenant()
  const { body: template } = await tenant.template()
  const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.delete(templatePath(template.id))))
  const statuses = replies.map(({ status }) => status).sort((a, b) => a - b)
  expect(statuses).toEqual([204, ...Array(9).fill(404)])
  expect((await tenant.get(templatePath(template.id))).body.code).toBe('template_not_found')
  expect((await tenant.patch(templatePath(template.id), { name: 'x' })).status).toBe(404)
  expect((await tenant.get('/v1/communication/templates?kind=custom')).body.data).toEqual([])
  const events = await tenant.events()
  expect(events.map(({ type }) => type)).toEqual(['communication.templates.create', 'communication.templates.delete'])
  for (const table of ['templates', 'template_versions']) {
    expect(await world.rows(`SELECT 1 FROM ${table} WHERE tenant_id = $1::uuid`, tenant.id)).toEqual([])
  }
})

test('deletes no unknown template, none of another tenant and no built-in one', async () => {
  const tenant = world.tenant()
  const other = world.tenant()
  const { body: theirs } = await other.template()
  const codes: unknown[] = []
  for (const id of [randomUUID(), theirs.id, builtInTemplates[0]?.id ?? '']) {
    const { status, body } = await tenant.delete(templatePath(id))
    codes.push([status, body.code])
  }
  expect(codes).toEqual([
    [404, 'template_not_found'],
    [404, 'template_not_found'],
    [409, 'built_in_template'],
  ])
  expect((await other.get(templatePath(theirs.id))).status).toBe(200)
})

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

test('makes a new version with the given fields, and emits an event', async () => {
  const tenant = world.tenant()
  const { body: created } = await tenant.template()
  const { status, body } = await tenant.patch(templatePath(created.id), { text: 'Hi {{name}}', html: null })
  expect(status).toBe(200)
  expect(body).toEqual({ ...created, version: 2, text: 'Hi {{name}}', html: null, updated_at: body.updated_at })
  const events = await tenant.events()
  expect(events.map(({ type }) => type)).toEqual(['communication.templates.create', 'communication.templates.update'])
  expect(events[1]?.payload).toMatchObject({ template: { id: created.id, version: 2 } })
})

test('rejects a change that leaves a variable undeclared, and changes nothing', async () => {
  const tenant = world.tenant()
  const { body: created } = await tenant.template()
  const { status, body } = await tenant.patch(templatePath(created.id), { variables: [] })
  expect([status, body.code]).toEqual([400, 'invalid_request'])
  expect(body.errors.map((error: { pointer: string }) => error.pointer)).toEqual(['/subject', '/text', '/html'])
  expect((await tenant.get(templatePath(created.id))).body).toEqual(created)
  expect(await tenant.events()).toHaveLength(1)
})

test('rejects a text that no message can have, and changes nothing', async () => {
  const tenant = world.tenant()
  const { body: created } = await tenant.template({ communication_type: 'SMS', subject: null, html: null })
  await tenant.patch(templatePath(created.id), { text: `${'a'.repeat(1_600)}{{name}}` }).expect(200)
  const { status, body } = await tenant.patch(templatePath(created.id), { text: `${'a'.repeat(1_601)}{{name}}` })
  expect([status, body.errors]).toEqual([400, [{ pointer: '/text', detail: 'must have at most 1600 characters' }]])
  expect((await tenant.get(templatePath(created.id))).body.version).toBe(2)
})

test('ten changes at once make ten versions', async () => {
  const tenant = world.tenant()
  const { body: created } = await tenant.template()
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, i) => tenant.patch(templatePath(created.id), { name: `Name ${i}` })),
  )
  const versions = replies.map(({ body }) => body.version).sort((a, b) => a - b)
  expect(versions).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
})

test('finds no unknown template and none of another tenant, and changes no built-in one', async () => {
  const tenant = world.tenant()
  const { body: theirs } = await world.tenant().template()
  const codes: unknown[] = []
  for (const id of [randomUUID(), theirs.id, builtInTemplates[0]?.id ?? '']) {
    const { status, body } = await tenant.patch(templatePath(id), { name: 'x' })
    codes.push([status, body.code])
  }
  expect(codes).toEqual([
    [404, 'template_not_found'],
    [404, 'template_not_found'],
    [409, 'built_in_template'],
  ])
  expect(await tenant.events()).toEqual([])
})

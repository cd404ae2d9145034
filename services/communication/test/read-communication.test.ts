import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('reads a message of the tenant, and none of another tenant', async () => {
  const tenant = world.tenant()
  const { body: sent } = await tenant.send()
  expect(await tenant.read(sent.id)).toEqual(sent)
  for (const [reader, id] of [
    [world.tenant(), sent.id],
    [tenant, randomUUID()],
  ] as const) {
    const { status, body } = await reader.get(`/v1/communication/communications/${id}`)
    expect([status, body.code]).toEqual([404, 'communication_not_found'])
  }
})

test('a message keeps recipient, template and amount as they were, after the template was changed and deleted', async () => {
  const tenant = world.tenant()
  const { body: template } = await tenant.template({
    text: 'Hello {{name}}, pay {{amount}}',
    variables: [{ name: 'name' }, { name: 'amount' }],
  })
  const message = { subject: undefined, text: undefined, html: undefined, template_id: template.id }
  const variables = { name: 'Ada', amount: 'EUR 12.34' }
  const { body: sent } = await tenant.send({ ...message, variables }).expect(202)
  const path = `/v1/communication/templates/${template.id}`
  await tenant.patch(path, { name: 'Renamed', text: 'Bye {{name}} {{amount}}' }).expect(200)
  const { body: later } = await tenant.send({ ...message, variables: { ...variables, amount: 'EUR 5' } }).expect(202)
  await tenant.delete(path).expect(204)
  const facts = async (id: string) => {
    const { recipient, template_id, template_name, template_version, amount } = await tenant.read(id)
    return [recipient, template_id, template_name, template_version, amount]
  }
  expect(await facts(sent.id)).toEqual([sent.recipient, template.id, template.name, 1, 'EUR 12.34'])
  expect(await facts(later.id)).toEqual([sent.recipient, template.id, 'Renamed', 2, 'EUR 5'])
  expect(await facts((await tenant.send()).body.id)).toEqual([sent.recipient, null, null, null, null])
})

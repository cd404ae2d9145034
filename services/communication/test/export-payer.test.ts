import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@payments/testing/services/until'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const readExport = async (tenantId: string, body: object) =>
  (await world.asOperator.post(`/internal/tenants/${tenantId}/payers/export`, body).expect(200)).body

test('has the messages to a payer with their texts, oldest first, in pages', async () => {
  const [tenant, stranger] = [world.tenant(), world.tenant()]
  const recipient = `ada.${randomUUID()}@example.com`
  const loop = world.startLoop()
  const first = (await tenant.send({ recipient, text: 'First' })).body
  const second = (await tenant.send({ recipient: recipient.toUpperCase(), text: 'Second' })).body
  await tenant.send({ recipient: 'other@example.com' })
  await stranger.send({ recipient })
  await until(async () => (await tenant.read(second.id)).status === 'sent')
  await until(async () => (await tenant.read(first.id)).status === 'sent')
  await loop.stop()
  const whole = await readExport(tenant.id, { recipient })
  expect(whole).toMatchObject({
    data: [
      { id: first.id, recipient, status: 'sent', content: { text: 'First' } },
      { id: second.id, content: { text: 'Second' } },
    ],
    next_after: null,
  })
  const page = await readExport(tenant.id, { recipient, limit: 1 })
  expect(page).toMatchObject({ data: [{ id: first.id }], next_after: first.id })
  const rest = await readExport(tenant.id, { recipient, limit: 1, after: page.next_after })
  expect(rest.data).toMatchObject([{ id: second.id }])
  expect(await readExport(tenant.id, { recipient, limit: 1, after: rest.next_after })).toEqual({
    data: [],
    next_after: null,
  })
})

test('has no code of a link to pay', async () => {
  const tenant = world.tenant()
  const recipient = `ada.${randomUUID()}@example.com`
  const link = `https://pay.example.com/pay/${'aB3_-'.repeat(4)}xY`
  const text = `Pay: ${link}, or ${link}?lang=de. Not: https://shop.example.com/pay/now`
  await tenant.send({ recipient, text }).expect(202)
  const { data } = await readExport(tenant.id, { recipient })
  const shown = 'https://pay.example.com/pay/…'
  expect(data[0].content.text).toBe(`Pay: ${shown}, or ${shown}?lang=de. Not: https://shop.example.com/pay/now`)
})

test('has the messages to an address of another script in each form of its domain, and of no other mailbox', async () => {
  const tenant = world.tenant()
  const [anne, kate] = [`ÄNNE.${randomUUID()}`, `kate.${randomUUID()}@example.com`]
  const first = (await tenant.send({ recipient: `${anne}@BÜCHER.example` })).body
  const second = (await tenant.send({ recipient: `${anne}+shop@xn--bcher-kva.example` })).body
  await tenant.send({ recipient: `${anne.toLowerCase()}@bücher.example` })
  await tenant.send({ recipient: kate.replace('k', '\u212a') })
  for (const domain of ['BÜCHER.example', 'bücher.example', 'xn--bcher-kva.example']) {
    const { data } = await readExport(tenant.id, { recipient: `${anne}@${domain}` })
    expect(data).toMatchObject([{ id: first.id }, { id: second.id }])
  }
  expect((await readExport(tenant.id, { recipient: kate })).data).toEqual([])
})

test('rejects what is no address', async () => {
  const path = `/internal/tenants/${randomUUID()}/payers/export`
  const reply = await world.asOperator.post(path, { recipient: 'x' }).expect(400)
  expect(reply.body.errors).toMatchObject([{ pointer: '/recipient' }])
})

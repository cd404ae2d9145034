import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@payments/testing/services/until'
import { communicationQueue, userInvitationQueue } from '../src/delivery/queues.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

async function invite(recipient: string): Promise<string> {
  const body = {
    message_id: randomUUID(),
    recipient,
    tenant_name: 'Acme',
    url: 'https://console.example.com/session/accept#token',
    expires_at: '2026-12-02T22:36:00Z',
  }
  await world.identity().post(`/internal/tenants/${world.tenant().id}/user-invitations`, body).expect(202)
  return body.message_id
}

const erase = async (recipient: string) =>
  (await world.asOperator.post('/internal/recipients/erase', { recipient }).expect(200)).body

const mails = (ids: readonly string[]) =>
  world.rows<{ status: string; recipient: string; text: string }>(
    `SELECT status::text, recipient, to_jsonb(m)::text AS text FROM user_invitation_mails m
     WHERE id = ANY($1::uuid[]) ORDER BY status, recipient`,
    ids,
  )
const readOutbox = (recipient: string) =>
  world.rows('SELECT id::text FROM outbox_messages WHERE lower(recipient) = lower($1)', recipient)

test('erases an address from the mails of user invitations of every tenant, and ends queued ones unsent', async () => {
  const [person, other] = [`Ada.${randomUUID()}@Example.com`, `bob.${randomUUID()}@example.com`]
  const loop = world.startLoop({ queue: userInvitationQueue })
  const sent = [await invite(person), await invite(person.toLowerCase()), await invite(other)]
  await until(async () => (await mails(sent)).every(({ status }) => status === 'sent'))
  await loop.stop()
  const queued = await invite(person)
  expect(await erase(person.toLowerCase())).toEqual({ erased: 3 })
  const rows = await mails([...sent, queued])
  expect(rows.map(({ status, recipient }) => [status, recipient])).toEqual([
    ['failed', 'erased'],
    ['sent', other],
    ['sent', 'erased'],
    ['sent', 'erased'],
  ])
  expect(JSON.stringify(rows).toLowerCase()).not.toContain(person.toLowerCase())
  expect([await readOutbox(person), await readOutbox(other)]).toEqual([[], [expect.anything()]])
  expect(await erase(person)).toEqual({ erased: 0 })
})

test('erases an address of another script, in each form of its domain, and no other mailbox', async () => {
  const id = randomUUID()
  const [anne, lower] = [`ÄNNE.${id}@BÜCHER.example`, `änne.${id}@bücher.example`]
  const [kelvin, kate] = [`\u212Aate.${id}@example.com`, `kate.${id}@example.com`]
  const sent = [await invite(anne), await invite(lower), await invite(kelvin), await invite(kate)]
  expect(await erase(`Änne.${id}@xn--bcher-kva.example`)).toEqual({ erased: 1 })
  expect(await erase(kate)).toEqual({ erased: 1 })
  expect((await mails(sent)).map(({ recipient }) => recipient).toSorted()).toEqual(
    ['erased', 'erased', lower, kelvin].toSorted(),
  )
})

test('leaves the messages to payers: they are those of the tenant', async () => {
  const recipient = `payer.${randomUUID()}@example.com`
  world.startLoop({ queue: communicationQueue })
  const tenant = world.tenant()
  const { id } = (await tenant.send({ recipient })).body
  await until(async () => (await tenant.read(id)).status === 'sent')
  expect(await erase(recipient)).toEqual({ erased: 0 })
  expect((await tenant.read(id)).recipient).toBe(recipient)
  expect(await readOutbox(recipient)).toHaveLength(1)
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { CodeWithLink } from '@payments/contracts/services/invite-to-pay/contract'
import { outcome } from '@payments/testing/calls/caller'
import { remind } from '../src/verbs/remind.ts'
import { codesPath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const resend = (
  tenantId: string,
  { transaction_id: transactionId }: Pick<CodeWithLink, 'transaction_id'>,
  id = randomUUID(),
) => world.asService().post(`/internal/tenants/${tenantId}/transactions/${transactionId}/resend`, { resend_id: id })

const invitations = async (code: CodeWithLink) =>
  (await world.rows(`SELECT 1 FROM messages WHERE code_id = $1::uuid AND kind = 'invitation'`, code.id)).length

test('sends the invitation again once per resend_id, for ten calls at once, with one event without the link', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  await world.age(code.id, 60)
  const id = randomUUID()
  const replies = await Promise.all(Array.from({ length: 10 }, () => resend(tenant.id, code, id)))
  for (const { status, body } of replies) expect([status, body.resend_count, body.url]).toEqual([200, 1, code.url])
  expect(await invitations(code)).toBe(2)
  const events = await tenant.events()
  expect(events.map(({ type }) => type)).toEqual(['invite-to-pay.codes.create', 'payment-proxy.i2p.resend'])
  expect(JSON.stringify(events)).not.toContain(code.url.slice(-22))
})

test('a resend of an active code changes neither its end nor its reminder', async () => {
  const tenant = world.tenant()
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const code = await tenant.create({ expires_at: inDays(30), reminder_at: inDays(20) })
  await world.age(code.id, 60)
  const before = await tenant.read(code.id)
  const { body } = await resend(tenant.id, code)
  const { expires_at, reminder_at, status } = before
  expect(body).toMatchObject({ expires_at, reminder_at, status, resend_count: 1 })
  const [row] = await world.rows('SELECT remind_due_at AS due FROM codes WHERE id = $1::uuid', code.id)
  expect(row).toEqual({ due: new Date(before.reminder_at ?? '') })
  await world.handOver(code.id)
  await world.age(code.id, 20 * 86_400)
  await remind(world.deps)
  const reminders = await world.rows(`SELECT 1 FROM messages WHERE code_id = $1::uuid AND kind = 'reminder'`, code.id)
  expect(reminders).toHaveLength(1)
})

test('rejects a resend whose template is deleted, sends nothing, and sends with another template', async () => {
  const tenant = world.tenant()
  const [template, another] = [randomUUID(), randomUUID()]
  const { templates } = world.communication.state
  templates.add(template).add(another)
  const code = await tenant.create({ template_id: template })
  await world.age(code.id, 60)
  const sent = randomUUID()
  expect((await resend(tenant.id, code, sent)).status).toBe(200)
  templates.delete(template)
  await world.age(code.id, 60)
  const rejected = await resend(tenant.id, code)
  expect(outcome(rejected)).toEqual([422, 'template_unusable'])
  expect(rejected.body.detail).toBe('The template of the invitation: is no template')
  expect(await invitations(code)).toBe(2)
  expect((await resend(tenant.id, code, sent)).body.resend_count).toBe(1)
  await tenant.patch(`${codesPath}/${code.id}`, { template_id: another }).expect(200)
  expect((await resend(tenant.id, code)).status).toBe(200)
  expect(await invitations(code)).toBe(3)
})

test('rejects a resend within a minute of the last one, and says when to repeat it', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  await world.age(code.id, 30)
  const reply = await resend(tenant.id, code)
  expect(outcome(reply)).toEqual([409, 'resend_too_soon'])
  expect(Number(reply.headers['retry-after'])).toBeGreaterThan(20)
  expect(Number(reply.headers['retry-after'])).toBeLessThanOrEqual(30)
  expect(await invitations(code)).toBe(1)
})

test('of ten different resends at once, one is sent', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  await world.age(code.id, 60)
  const replies = await Promise.all(Array.from({ length: 10 }, () => resend(tenant.id, code)))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await invitations(code)).toBe(2)
})

test('rejects the eleventh resend', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  await world.rows('UPDATE codes SET resend_count = 10 WHERE id = $1::uuid', code.id)
  await world.age(code.id, 60)
  expect(outcome(await resend(tenant.id, code))).toEqual([409, 'resend_limit_reached'])
})

test('revives an expired code for a day, at most until 70 days after its creation', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  await world.age(code.id, 25 * 3600)
  const revived = await resend(tenant.id, code)
  expect([revived.status, revived.body.status]).toEqual([200, 'active'])
  expect(Date.parse(revived.body.expires_at) - Date.now()).toBeGreaterThan(23 * 3_600_000)
  expect((await world.pay(code)).status).toBe(303)
  const old = await tenant.create()
  await world.age(old.id, 69.5 * 24 * 3600)
  const { body } = await resend(tenant.id, old)
  expect(Date.parse(body.expires_at) - Date.now()).toBeLessThan(12.1 * 3_600_000)
  await world.age(old.id, 24 * 3600)
  expect(outcome(await resend(tenant.id, old))).toEqual([409, 'code_not_active'])
})

test('rejects a resend of an ended code, and of one that the tenant does not have', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  expect(outcome(await resend(world.tenant().id, code))).toEqual([404, 'code_not_found'])
  expect(outcome(await resend(tenant.id, { transaction_id: randomUUID() }))).toEqual([404, 'code_not_found'])
  await tenant.post(`${codesPath}/${code.id}/cancel`).expect(200)
  expect(outcome(await resend(tenant.id, code))).toEqual([409, 'code_not_active'])
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { remind } from '../src/verbs/remind.ts'
import { codesPath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const reminders = async (codeId: string) =>
  (await world.rows(`SELECT 1 FROM messages WHERE code_id = $1::uuid AND kind = 'reminder'`, codeId)).length

test('reminds of an unpaid code once, for three runs at once, and again after a new reminder is set', async () => {
  const tenant = world.tenant()
  const code = await tenant.create({ reminder_at: inHours(12) })
  await world.handOver(code.id)
  await remind(world.deps)
  expect(await reminders(code.id)).toBe(0)
  await world.age(code.id, 13 * 3600)
  await Promise.all(Array.from({ length: 3 }, () => remind(world.deps)))
  expect(await reminders(code.id)).toBe(1)
  await tenant.patch(`${codesPath}/${code.id}`, { reminder_at: inHours(5) }).expect(200)
  await world.age(code.id, 6 * 3600)
  await remind(world.deps)
  expect(await reminders(code.id)).toBe(2)
})

test('does not remind of a code that is paid, canceled or expired', async () => {
  const tenant = world.tenant()
  const [paid, canceled, expired] = [
    await tenant.create({ reminder_at: inHours(12) }),
    await tenant.create({ reminder_at: inHours(12) }),
    await tenant.create({ reminder_at: inHours(12) }),
  ]
  for (const { id } of [paid, canceled, expired]) await world.handOver(id)
  await world.pay(paid)
  await tenant.post(`${codesPath}/${canceled.id}/cancel`).expect(200)
  await world.age(expired.id, 25 * 3600)
  for (const { id } of [paid, canceled]) await world.age(id, 13 * 3600)
  await remind(world.deps)
  for (const { id } of [paid, canceled, expired]) expect(await reminders(id)).toBe(0)
})

test('does not remind of a revived code when the reminder was due before its end', async () => {
  const tenant = world.tenant()
  const code = await tenant.create({ reminder_at: inHours(12) })
  await world.age(code.id, 25 * 3600)
  const path = `/internal/tenants/${tenant.id}/transactions/${code.transaction_id}/resend`
  const resent = await world.asService().post(path, { resend_id: randomUUID() })
  expect([resent.status, resent.body.status]).toEqual([200, 'active'])
  await remind(world.deps)
  expect(await reminders(code.id)).toBe(0)
})

test('an invitation that is not handed over yet takes the place of a reminder that becomes due', async () => {
  const tenant = world.tenant()
  const code = await tenant.create({ reminder_at: inHours(12) })
  await tenant.patch(`${codesPath}/${code.id}`, { reminder_at: inHours(1) }).expect(200)
  await world.age(code.id, 2 * 3600)
  await remind(world.deps)
  await world.handOver(code.id)
  await remind(world.deps)
  expect(await reminders(code.id)).toBe(0)
})

test('an invitation that is handed over late takes the place of a reminder that was due before', async () => {
  const tenant = world.tenant()
  const code = await tenant.create({ reminder_at: inHours(12) })
  await world.age(code.id, 13 * 3600)
  await world.handOver(code.id)
  await remind(world.deps)
  expect(await reminders(code.id)).toBe(0)
})

test('a reminder of an invitation that was rejected is sent: the payer has no message yet', async () => {
  const tenant = world.tenant()
  const code = await tenant.create({ reminder_at: inHours(12) })
  world.communication.state.isRejecting = true
  await world.handOver(code.id)
  world.communication.state.isRejecting = false
  await world.age(code.id, 13 * 3600)
  await remind(world.deps)
  expect([(await tenant.read(code.id)).last_sent_at, await reminders(code.id)]).toEqual([null, 1])
})

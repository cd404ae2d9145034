import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createPace } from '@payments/chassis/base/rates'
import { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import { serviceApp } from '@payments/service/app'
import { until } from '@payments/testing/services/until'
import { routes } from '../src/routes.ts'
import { codesPath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  world.startSending()
})
afterAll(() => world.stop())

test('the invitations of a key beyond its pace wait, and those of its colleague are sent', async () => {
  const tenant = world.tenant()
  const pace = createPace({ perSecond: 1 / 3_600, burst: 2 })
  const app = serviceApp(inviteToPay, routes(world.deps, pace), world.deps)
  const [bulk, colleague] = [tenant.at(app), tenant.at(app)]
  const invite = async (by: typeof bulk) => {
    const { status, body } = await by.post(codesPath, tenant.draft({ recipient: `${randomUUID()}@example.com` }))
    expect(status).toBe(201)
    return body.id as string
  }
  const [first, second, third] = [await invite(bulk), await invite(bulk), await invite(bulk)]
  const other = await invite(colleague)
  const isSent = async (id: string) => (await tenant.read(id)).last_sent_at !== null
  for (const id of [first, second, other]) await until(() => isSent(id))
  expect(await isSent(third)).toBe(false)
  const [row] = await world.rows<{ waits: boolean }>(
    `SELECT due_at > now() + interval '50 minutes' AS waits FROM messages WHERE code_id = $1::uuid`,
    third,
  )
  expect(row).toEqual({ waits: true })
  expect((await tenant.read(third)).last_error?.detail).toContain('The message waits for its turn')
})

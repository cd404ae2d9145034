import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { recordErasureReport } from '../src/verbs/record-erasure-report.ts'
import { erasuresAt, reportOf } from './erasures.ts'
import { startWorld, type World } from './world.ts'

let world: World
let erasures: ReturnType<typeof erasuresAt>
beforeAll(async () => {
  world = await startWorld()
  erasures = erasuresAt(world)
})
afterAll(() => world.stop())

test('an erasure is complete when each service and the copies of each report are, in any order', async () => {
  const tenant = world.tenant()
  const started = await erasures.begin(tenant, 'order@example.com')
  const of = (service: string, rest: object) =>
    reportOf(tenant, `${service}.payers.erased`, {
      erasure_id: started.id,
      service,
      resource_ids: [],
      is_last: true,
      ...rest,
    })
  const [one, last, ...others] = [
    of('payment-proxy', { resource_ids: [randomUUID(), randomUUID()], is_last: false }),
    of('payment-proxy', {}),
    of('invite-to-pay', {}),
    of('communication', {}),
  ]
  const copies = (id: string | undefined) =>
    reportOf(tenant, 'webhooks.payers.erased', { erasure_id: started.id, report_id: id })
  const all = [copies(last?.id), ...others, one, last, one, copies(one?.id), ...others.map(({ id }) => copies(id))]
  for (const report of all.slice(0, -1)) if (report !== undefined) await recordErasureReport(world, report)
  expect((await erasures.read(started.id)).completed_at).toBeNull()
  await recordErasureReport(world, all.at(-1) as EventMessage)
  expect(await erasures.read(started.id)).toMatchObject({
    completed_at: expect.any(String),
    services: [
      { service: 'payment-proxy', resources: 2, completed_at: expect.any(String) },
      { service: 'invite-to-pay', resources: 0 },
      { service: 'communication', resources: 0 },
      { service: 'webhooks', resources: 2, completed_at: expect.any(String) },
    ],
  })
})

test('a report of a second pass counts after the completion, which stays', async () => {
  const tenant = world.tenant()
  const { id } = await erasures.begin(tenant, 'late@example.com')
  await erasures.complete(tenant, id)
  const { completed_at: completedAt } = await erasures.read(id)
  const report = reportOf(tenant, 'payment-proxy.payers.erased', {
    erasure_id: id,
    service: 'payment-proxy',
    resource_ids: [randomUUID()],
    is_last: false,
  })
  await recordErasureReport(world, report)
  const [paymentProxy, , , webhooks] = (await erasures.read(id)).services
  expect([paymentProxy?.resources, webhooks?.completed_at]).toEqual([1, null])
  await recordErasureReport(world, reportOf(tenant, 'webhooks.payers.erased', { erasure_id: id, report_id: report.id }))
  const after = await erasures.read(id)
  expect(after.completed_at).toBe(completedAt)
  expect(after.services.at(-1)).toMatchObject({ resources: 1, completed_at: expect.any(String) })
})

test('a report about an unknown erasure, or of another tenant, changes nothing', async () => {
  const [tenant, stranger] = [world.tenant(), world.tenant()]
  const started = await erasures.begin(tenant, 'mine@example.com')
  await erasures.complete(stranger, started.id)
  expect((await erasures.read(started.id)).services.every(({ completed_at }) => completed_at === null)).toBe(true)
  await expect(
    recordErasureReport(world, reportOf(tenant, 'payment-proxy.payers.erased', { erasure_id: 'x' })),
  ).rejects.toMatchObject({ code: 'invalid_request' })
})

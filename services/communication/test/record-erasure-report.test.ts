import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { recordErasureReport } from '../src/verbs/record-erasure-report.ts'
import { buildReport, erasuresAt } from './erasures.ts'
import { startWorld, type World } from './world.ts'

let world: World
let erasures: ReturnType<typeof erasuresAt>
beforeAll(async () => {
  world = await startWorld()
  erasures = erasuresAt(world)
})
afterAll(() => world.stop())

const report = (erasureId: string, service: string, resources: number) => ({
  erasure_id: erasureId,
  service,
  resources,
})

test('an erasure is complete when each service is, in any order', async () => {
  const tenant = world.tenant()
  const { id } = await erasures.begin(tenant, 'order@example.com')
  const record = (service: string, resources: number) =>
    recordErasureReport(world, buildReport(tenant, report(id, service, resources)))
  await record('communication', 0)
  await record('payment-proxy', 2)
  await record('payment-proxy', 2)
  expect(await erasures.read(id)).toMatchObject({
    completed_at: null,
    services: [
      { service: 'payment-proxy', resources: 2, completed_at: expect.any(String) },
      { service: 'invite-to-pay', resources: 0, completed_at: null },
      { service: 'communication', resources: 0, completed_at: expect.any(String) },
    ],
  })
  await record('invite-to-pay', 1)
  const ended = await erasures.read(id)
  expect(ended.completed_at).toBe(ended.services[1]?.completed_at)
})

test('a later report, of a repeated request, counts after the completion, which stays', async () => {
  const tenant = world.tenant()
  const { id } = await erasures.begin(tenant, 'late@example.com')
  await erasures.complete(tenant, id)
  const ended = await erasures.read(id)
  for (const resources of [3, 1]) {
    await recordErasureReport(world, buildReport(tenant, report(id, 'payment-proxy', resources)))
  }
  const [paymentProxy, ...others] = ended.services
  expect(await erasures.read(id)).toEqual({ ...ended, services: [{ ...paymentProxy, resources: 3 }, ...others] })
})

test('ten reports at once are all recorded', async () => {
  const tenant = world.tenant()
  const { id } = await erasures.begin(tenant, 'ten@example.com')
  const services = ['payment-proxy', 'invite-to-pay', 'communication']
  const ten = Array.from({ length: 10 }, (_, index) => report(id, services[index % 3] ?? '', 1))
  await Promise.all(ten.map((payload) => recordErasureReport(world, buildReport(tenant, payload))))
  const ended = await erasures.read(id)
  expect([ended.completed_at, ended.services.map(({ resources }) => resources)]).toEqual([
    expect.any(String),
    [1, 1, 1],
  ])
})

test('a report about an unknown erasure, or of another tenant, changes nothing', async () => {
  const [tenant, stranger] = [world.tenant(), world.tenant()]
  const started = await erasures.begin(tenant, 'mine@example.com')
  await erasures.complete(stranger, started.id)
  expect((await erasures.read(started.id)).services.every(({ completed_at }) => completed_at === null)).toBe(true)
  await recordErasureReport(world, buildReport(tenant, report(randomUUID(), 'communication', 0)))
  await expect(recordErasureReport(world, buildReport(tenant, { erasure_id: 'x' }))).rejects.toMatchObject({
    code: 'invalid_request',
  })
})

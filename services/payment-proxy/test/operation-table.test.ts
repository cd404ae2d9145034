import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { rows } from './operation-rows.ts'
import { startWorld, type TestTenant, type World } from './world.ts'

/** Each verb that changes transactions: success, every failure, another tenant, ten at once. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const failures = Object.entries(rows).flatMap(([verb, row]) =>
  row.failures.map(([before, act, status, code, ...events]) => ({ verb, before, act, status, code, events })),
)

/** Problems of requests that another one preceded. */
const late = ['operation_in_progress', 'invalid_transaction_state', 'external_reference_taken']

async function readState(tenant: TestTenant) {
  return { recorded: await tenant.recorded(), ledger: await tenant.ledger(), events: await tenant.eventTypes() }
}

describe.each(Object.entries(rows))('%s', (_verb, row) => {
  test('succeeds, with one event, and the operations of the provider', async () => {
    const tenant = world.tenant()
    const id = await row.given(tenant, world)
    const reply = await row.act(tenant, id)
    expect([reply.status, reply.body.status]).toEqual([row.created ?? 200, row.status])
    const types = await tenant.eventTypes()
    expect([types.at(-1), types.filter((type) => type === row.event)]).toEqual([row.event, [row.event]])
    expect((await tenant.events()).at(-1)?.payload.version).toBe(reply.body.version)
    expect(await tenant.recorded()).toEqual(await tenant.ledger())
  })

  test('for another tenant, it does not exist', async () => {
    const tenant = world.tenant()
    const id = await row.given(tenant, world)
    const before = await readState(tenant)
    const reply = await row.act(world.tenant(), id)
    expect([reply.status, reply.body.code]).toEqual([404, row.missing ?? 'transaction_not_found'])
    expect(await readState(tenant)).toEqual(before)
  })

  test('takes effect once when ten requests arrive at once', async () => {
    const tenant = world.tenant()
    const id = await row.given(tenant, world)
    const replies = await Promise.all(Array.from({ length: 10 }, () => row.act(tenant, id)))
    for (const { status, body } of replies) {
      if (status === (row.created ?? 200)) expect(body.status).toBe(row.status)
      else if (status !== 202) expect(late).toContain(body.code)
    }
    expect((await tenant.list()).body.data.map((one: { status: string }) => one.status)).toEqual([row.status])
    expect((await tenant.eventTypes()).filter((type) => type === row.event)).toHaveLength(1)
    expect(await tenant.recorded()).toEqual(await tenant.ledger())
  })
})

test.each(failures)('$verb: $status $code', async ({ before, act, status, code, events }) => {
  const tenant = world.tenant()
  const id = await before(tenant, world)
  const earlier = await readState(tenant)
  const reply = await act(tenant, id)
  expect([reply.status, reply.body.code]).toEqual([status, code])
  if (events.length === 0) expect(await readState(tenant)).toEqual(earlier)
  else expect(await tenant.eventTypes()).toEqual([...earlier.events, ...events])
})

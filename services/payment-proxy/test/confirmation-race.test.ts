/** @slow It runs 500 races. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openBank } from './bank.ts'
import { asInviteToPay } from './invitations.ts'
import { readPairs } from './model/ledger.ts'
import { startWorld, type TestTenant, type World } from './world.ts'

/** A payer confirms a payment at their bank in the moment in which the payment is canceled. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const races = 500
const atOnce = 20
const minuteMs = 60_000

type Cancellation = (tenant: TestTenant, payment: { id: string; paymentId: string }) => Promise<unknown>

const cancellations: readonly Cancellation[] = [
  (tenant, { id }) => tenant.void(id),
  (tenant, { id, paymentId }) => asInviteToPay(world, tenant).cancel(id, paymentId),
  (tenant, { id }) => Promise.all([tenant.void(id), tenant.sync(id)]),
]

async function race(index: number) {
  const tenant = world.tenant()
  const body = { return_url: 'https://shop.example.com', capture: index % 2 === 0 }
  const { id, pending_operation: pending } = (await tenant.authorize('challenge', body)).body
  const cancel = cancellations[index % cancellations.length]
  await Promise.all([
    openBank(world, pending.action.url).decide('confirm'),
    cancel?.(tenant, { id, paymentId: pending.id }),
  ])
  return { tenant, id: id as string }
}

const counts = { confirmed: 0, canceled: 0 }

async function check({ tenant, id }: Awaited<ReturnType<typeof race>>) {
  const { status, operations, pending_operation } = (await tenant.read(id)).body
  expect(pending_operation).toBeNull()
  for (const { state, amount, inLedger } of await readPairs(world, tenant)) {
    if (amount > 0) expect(inLedger?.state).toBe(state)
  }
  const authorized = operations[0].state === 'succeeded'
  counts[authorized ? 'confirmed' : 'canceled'] += 1
  expect(authorized ? ['authorized', 'captured', 'voided'] : ['failed', 'voided']).toContain(status)
  // One event for each end.
  const events = (await tenant.events()).map(({ type, payload }) => `${type} ${String(payload.operation?.['id'])}`)
  expect(new Set(events).size).toBe(events.length)
}

test(`in ${races} races of a cancellation against a confirmation, the books equal the ledger of the provider`, async () => {
  for (let start = 0; start < races; start += atOnce) {
    const raced = await Promise.all(Array.from({ length: atOnce }, (_, index) => race(start + index)))
    await world.applyProviderEvents()
    world.advanceClock(minuteMs)
    await world.resumeOpen()
    await Promise.all(raced.map(check))
  }
  // Each side wins some.
  expect(counts.confirmed).toBeGreaterThan(0)
  expect(counts.canceled).toBeGreaterThan(0)
  expect(counts.confirmed + counts.canceled).toBe(races)
}, 300_000)

test('at the end of the time of the payer, the ledger decides too', async () => {
  const waiting = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const tenant = world.tenant()
      const { id, pending_operation: pending } = (
        await tenant.authorize('challenge', { return_url: 'https://shop.example.com' })
      ).body
      return { tenant, id: id as string, bank: openBank(world, pending.action.url) }
    }),
  )
  // One millisecond before the end for the bank, and after it for the sweeper.
  world.advanceClock(30 * minuteMs - 1)
  await Promise.all([...waiting.map(({ bank }) => bank.decide('confirm')), world.resumeOpen()])
  world.advanceClock(minuteMs)
  await world.applyProviderEvents()
  await world.resumeOpen()
  await Promise.all(waiting.map(check))
})

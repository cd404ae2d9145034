import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createPause } from '@payments/chassis/base/deadline'
import { newId } from '@payments/chassis/base/id'
import { createLog } from '@payments/chassis/observability/log'
import { dispatchBacklogs } from '../src/dispatch/backlog.ts'
import { createDeliveries } from '../src/dispatch/create-deliveries.ts'
import type { WorkerDeps } from '../src/dispatch/deps.ts'
import { createDestinationLimits, type DestinationLimits } from '../src/dispatch/destination-limits.ts'
import { createWorkers } from '../src/dispatch/workers.ts'
import { deriveDeliveryId } from '../src/domain/delivery/delivery-id.ts'
import { testEventType } from '../src/domain/event/event-type.ts'

/** A delivery that starts and does not end takes a part of the limits of its destination until the process ends. */
const tenantId = randomUUID()
const destination = { tenantId, subscriptionId: newId() }
const failure = new Error('the statement failed')

const createLimits = (perTenantMax: number) =>
  createDestinationLimits({
    breaker: { failedPercentMin: 50, attemptsMin: 10, windowMs: 60_000, connectErrorsMax: 5, probeAfterMs: 30_000 },
    backlogSignal: createPause(),
    inFlight: { perDestinationMax: 10, perTenantMax },
    ownPart: (limit) => limit,
  })

/** The statements return the replies in turn, then no rows. */
function dispatcher(replies: readonly (readonly object[] | Error)[], perTenantMax = 100) {
  const limits = createLimits(perTenantMax)
  const statements: string[][] = []
  const $queryRawUnsafe = async (_sql: string, ...values: string[]) => {
    const reply = replies[statements.push(values) - 1] ?? []
    if (reply instanceof Error) throw reply
    return reply
  }
  const handle: Parameters<typeof createWorkers>[0]['handle'] = (item) => limits.run(item, async () => {})
  const workers = createWorkers({ handle, idle: () => {}, log: createLog('test', 'silent') })
  const db = { crossTenant: { $queryRawUnsafe }, changes: { note: () => {} } }
  const deps = { limits, workers, db } as unknown as WorkerDeps
  /** The JSON among the values of a statement. */
  const given = (statement: number, value: number) => JSON.parse(statements[statement]?.[value] ?? '') as object[]
  return { limits, deps, given, done: () => workers.stop(10_000) }
}

/** The deliveries that may start for four destinations: the tenant has fewer, so each that did not end is missing. */
const capacity = (limits: DestinationLimits) =>
  [destination.subscriptionId, 'a', 'b', 'c'].map((subscriptionId) =>
    limits.startBacklogged({ tenantId, subscriptionId }, 1_000),
  )
const full = capacity(createLimits(100))

const createEvents = (count: number, type: string) =>
  Array.from({ length: count }, (_one, number) => ({
    number,
    id: newId(),
    tenantId,
    businessUnitId: null,
    type,
    traceId: randomUUID(),
    occurredAt: new Date().toISOString(),
    payload: '{}',
  }))
const events = createEvents(3, 'a.b')
type Events = ReturnType<typeof createEvents>
const store = (deps: WorkerDeps, stored: Events = events) => {
  const matches = stored.map(({ number }) => ({
    number,
    id: destination.subscriptionId,
    businessUnitId: 'u',
    held: false,
  }))
  return createDeliveries(deps, stored, matches, { isFirst: true })
}

const createBacklog = (subscriptionId: string, probe: boolean) => {
  const id = newId()
  return { tenantId, subscriptionId, backlogVersion: '1', backlogMinId: id, backlogMaxId: id, probe }
}
const backlog = createBacklog(destination.subscriptionId, false)

test.each([
  ['the first', [failure]],
  ['the second', [[], failure]],
  ['the third', [[], events.map(({ id, occurredAt }) => ({ id: deliveryId(id, occurredAt) })), failure]],
])('fan-out whose deliveries were not stored ends them: %s statement fails', async (_statement, replies) => {
  const { deps, limits } = dispatcher(replies)
  await expect(store(deps)).rejects.toBe(failure)
  expect(capacity(limits)).toEqual(full)
})

test.each([
  ['exist, or have no subscription', []],
  ['have no target', events.map(({ id, occurredAt }) => ({ ids: deliveryId(id, occurredAt), disposition: null }))],
])('fan-out ends deliveries that %s', async (_reason, inserted) => {
  const { deps, limits } = dispatcher([inserted])
  await store(deps)
  expect(capacity(limits)).toEqual(full)
})

test('the backlog dispatcher ends deliveries that it did not claim', async () => {
  const failing = dispatcher([[backlog], failure])
  await expect(dispatchBacklogs(failing.deps, null)).rejects.toBe(failure)
  expect(capacity(failing.limits)).toEqual(full)
  const short = dispatcher([[backlog], [0, 1].map(() => ({ ...destination, id: newId() }))])
  await dispatchBacklogs(short.deps, null)
  await short.done()
  expect(capacity(short.limits)).toEqual(full)
})

test('a delivery whose work fails ends', async () => {
  const limits = createLimits(100)
  expect(limits.startDue(destination)).toBe(true)
  await expect(limits.run(destination, () => Promise.reject(failure))).rejects.toBe(failure)
  expect(capacity(limits)).toEqual(full)
})

/** Ten permits, and what ends within 250 ms: a new receiver is presumed to need 25 ms. */
const startsMax = 10 + 10 * 10

test('the probes of a tenant start within its limit', async () => {
  const backlogs = Array.from({ length: 300 }, () => createBacklog(newId(), true))
  const { deps, given } = dispatcher([backlogs], 10)
  await dispatchBacklogs(deps, null)
  expect(given(1, 0)).toHaveLength(startsMax)
})

test('test events start within the limit of their destination, and wait in its backlog above it', async () => {
  const { deps, given } = dispatcher([])
  await store(deps, createEvents(300, testEventType))
  const initials = (given(0, 1) as { initial: string }[]).map(({ initial }) => initial)
  expect(initials).toEqual(initials.map((_one, index) => (index < startsMax ? 'tested' : 'backlogged')))
})

function deliveryId(eventId: string, occurredAt: string): string {
  return deriveDeliveryId({ id: eventId, occurredAt: new Date(occurredAt) }, destination.subscriptionId)
}

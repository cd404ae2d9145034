import { setTimeout as delay } from 'node:timers/promises'
import { createLog } from '@payments/chassis/observability/log'
import { withClient } from '@payments/devkit/servers/databases'
import { openBroker } from '../../../services/webhooks/src/broker/broker.ts'
import { until } from '../../until.ts'
import type { CommittedEvent } from '../runner/ledger.ts'
import type { Tracked } from './round.ts'
import type { World } from './world.ts'

/**
 * Every committed event × matching subscription ends delivered, dead, held or discarded. Attempts are numbered from 1
 * without a gap and agree with the row. The receiver accepted each delivered event at least once. No subscription
 * receives an event of another tenant. The dead-letter queue holds exactly one message per dead row. This file
 * computes the matching from the subscriptions of the test.
 */
interface Tally {
  readonly events: number
  readonly matching: number
  delivered: number
  dead: number
  held: number
  discarded: number
  /** Missing or not final. */
  lost: number
  /** Accepted by the receiver more than once: allowed. */
  duplicated: number
  /** Broken promises, as text. */
  readonly broken: string[]
}

interface DeliveryRow {
  readonly subscriptionId: string
  readonly eventId: string
  readonly tenantId: string
  readonly status: string
  readonly attemptCount: number
  readonly numbers: number[]
}

/** A delivery in the backlog of a disabled subscription or an open breaker is held, regardless of its row. */
const rowsSql = `
  SELECT d.subscription_id AS "subscriptionId", d.tenant_event_id AS "eventId", d.tenant_id AS "tenantId",
    CASE WHEN d.backlogged AND (NOT s.enabled OR t.breaker <> 'closed') THEN 'held' ELSE d.status::text END AS status,
    d.attempt_count AS "attemptCount",
    array(SELECT a.number FROM attempts a WHERE a.delivery_id = d.id ORDER BY a.number) AS numbers
  FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id LEFT JOIN destinations t ON t.subscription_id = s.id
  WHERE d.subscription_id = ANY($1::uuid[])`

const brokenMax = 10
const pollMs = 500
const settleTimeoutMs = 180_000
const lettersTimeoutMs = 40_000

/** Waits until every delivery is final, at most until a deadline, and returns the tally. */
export async function untilSettled(
  world: World,
  tracked: readonly Tracked[],
  events: readonly CommittedEvent[],
): Promise<Tally> {
  const deadline = Date.now() + settleTimeoutMs
  const ids = tracked.map(({ id }) => id)
  for (;;) {
    const { rows } = await withClient(world.databaseUrl('webhooks'), (client) =>
      client.query<DeliveryRow>(rowsSql, [ids]),
    )
    const tally = countTally(world, tracked, events, rows)
    if (tally.lost === 0 || Date.now() > deadline) return tally
    await delay(pollMs)
  }
}

function countTally(
  world: World,
  tracked: readonly Tracked[],
  events: readonly CommittedEvent[],
  rows: readonly DeliveryRow[],
): Tally {
  const found = new Map(rows.map((row) => [`${row.eventId} ${row.subscriptionId}`, row]))
  const pairs = tracked.flatMap((one) => events.filter((event) => matches(event, one)).map((event) => ({ event, one })))
  const expected = pairs.filter(({ event, one }) => one.always || found.has(`${event.id} ${one.id}`))
  const zero = { delivered: 0, dead: 0, held: 0, discarded: 0, lost: 0, duplicated: 0 }
  const tally: Tally = { events: events.length, matching: expected.length, ...zero, broken: [] }
  for (const { event, one } of expected) {
    const row = found.get(`${event.id} ${one.id}`)
    found.delete(`${event.id} ${one.id}`)
    checkDelivery(tally, world, { event, one, row })
  }
  const known = new Map(events.map(({ id, type }) => [id, type]))
  for (const { eventId, subscriptionId } of found.values()) {
    const type = known.get(eventId)
    if (type !== undefined) tally.broken.push(`${type} ${eventId} does not match ${subscriptionId}, and was delivered`)
  }
  tally.broken.splice(brokenMax)
  return tally
}

/**
 * A unit's event goes to the unit's subscriptions, a tenant's to all of its own; `null` is every type, `a.*` all below
 * `a`.
 */
function matches(event: CommittedEvent, { tenant, eventTypes }: Tracked): boolean {
  if (event.tenantId !== tenant.tenant_id) return false
  if (event.businessUnitId !== null && event.businessUnitId !== tenant.business_unit_id) return false
  if (eventTypes === null) return true
  return eventTypes.some((one) => one === event.type || (one.endsWith('.*') && event.type.startsWith(one.slice(0, -1))))
}

function checkDelivery(
  tally: Tally,
  { endpoint }: World,
  { event, one, row }: { event: CommittedEvent; one: Tracked; row: DeliveryRow | undefined },
): void {
  const what = `${event.type} ${event.id} at ${one.name}`
  const status = row?.status
  if (status === 'delivered' || status === 'dead' || status === 'held' || status === 'discarded') tally[status] += 1
  else {
    tally.lost += 1
    tally.broken.push(`${what}: ${status ?? 'no delivery'}`)
  }
  if (row !== undefined && row.tenantId !== event.tenantId) tally.broken.push(`${what}: a row of another tenant`)
  if (row !== undefined && !isWholeCount(row)) {
    tally.broken.push(`${what}: attempts ${row.numbers.join()} where the row says ${row.attemptCount}`)
  }
  const arrival = endpoint.arrivalsAt(one.name).get(event.id)
  if (one.visible && status === 'delivered' && (arrival?.accepted ?? 0) < 1) {
    tally.broken.push(`${what}: delivered, but the receiver never accepted it`)
  }
  if ((arrival?.accepted ?? 0) > 1) tally.duplicated += 1
  for (const tenantId of arrival?.tenantIds ?? []) {
    if (tenantId !== one.tenant.tenant_id) tally.broken.push(`${what}: of tenant ${tenantId}`)
  }
}

const isWholeCount = ({ attemptCount, numbers }: DeliveryRow) =>
  numbers.length === attemptCount && numbers.every((number, index) => number === index + 1)

/** Defects of the dead letters after the reconciliation; empty without defects. */
export async function wrongDeadLetters(world: World): Promise<string[]> {
  const { amqpUrl: url } = world.servers
  const { messagingPrefix: prefix } = world.platform
  const log = createLog('faults', 'silent')
  const broker = await openBroker({ url, prefix, name: 'faults', topology: [], log })
  let wrong: string[] = []
  const look = async () => {
    const queued: string[] = []
    await broker.deadLetters.browse('webhooks.dead-letters', async (messages) => {
      queued.push(...messages.map(({ messageId }) => messageId))
      return []
    })
    const { rows } = await withClient(world.databaseUrl('webhooks'), (client) =>
      client.query<{ id: string }>(`SELECT id FROM deliveries WHERE status = 'dead'`),
    )
    const dead = new Set(rows.map(({ id }) => id))
    const missing = [...dead].filter((id) => !queued.includes(id)).length
    const extra = queued.filter((id) => !dead.has(id)).length
    wrong =
      missing === 0 && queued.length === dead.size
        ? []
        : [`dead letters: ${dead.size} rows, ${queued.length} messages, ${missing} missing, ${extra} too many`]
    return wrong.length === 0
  }
  try {
    await until('broker', async () => (await broker.check()) === null)
    const deadline = Date.now() + lettersTimeoutMs
    while (!(await look()) && Date.now() < deadline) await delay(pollMs)
    const quarantined = await broker.deadLetters.depth('webhooks.quarantine')
    return quarantined === 0 ? wrong : [...wrong, `${quarantined} messages are quarantined`]
  } finally {
    await broker.close()
  }
}

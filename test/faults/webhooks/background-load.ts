import { createSecretKey, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { assertionHeader, signAssertion } from '@payments/chassis/assertion/assertion'
import { newId } from '@payments/chassis/base/id'
import { permissionNames } from '@payments/contracts/grammar/permission'
import { withClient } from '@payments/devkit/servers/databases'
import { buildUnit, copyStatement } from '@payments/testing/peers/business-units'
import { until } from '../../until.ts'
import type { CommittedEvent } from '../runner/ledger.ts'
import { ok } from './endpoint.ts'
import type { Tracked, WebhookFault, WebhookRound } from './round.ts'
import type { World } from './world.ts'

/**
 * The endpoint of one tenant fails and 10 000 of its deliveries wait; 100 other tenants must be served as before.
 * Their events are written directly into the outbox of payment-proxy.
 */
const backlog = 10_000
const healthyTenants = 100
const eventsPaced = 1_000
const perSecond = 100
const type = 'payment-proxy.transactions.capture'

type Owner = Pick<CommittedEvent, 'tenantId' | 'businessUnitId'>

const insertSql = `
  INSERT INTO outbox_events (id, type, tenant_id, business_unit_id, trace_id, payload)
  SELECT id, '${type}', "tenantId", "businessUnitId", gen_random_uuid(), '{"amount": 1999}'
  FROM jsonb_to_recordset($1::jsonb) AS r(id uuid, "tenantId" uuid, "businessUnitId" uuid)`

const emit = (world: World, owners: readonly Owner[]) =>
  withClient(world.databaseUrl('payment-proxy'), (admin) =>
    admin.query(insertSql, [JSON.stringify(owners.map((owner) => ({ id: newId(), ...owner })))]),
  )

/** A tenant without onboarding: webhooks reads the tenant from the assertion, and has a copy of the unit. */
async function subscribeHealthyTenant(world: World, number: number): Promise<Tracked> {
  const { platform, endpoint } = world
  const tenant = { tenant_id: randomUUID(), business_unit_id: randomUUID() }
  const unit = buildUnit({ tenantId: tenant.tenant_id, businessUnitId: tenant.business_unit_id })
  await withClient(world.databaseUrl('webhooks'), (admin) => admin.query(copyStatement(unit)))
  const key = createSecretKey(Buffer.from(platform.edgeKey('gateway', 'webhooks'), 'base64'))
  const path = `/v1/webhooks/${tenant.business_unit_id}/webhooks`
  const name = `healthy-${number}`
  const body = JSON.stringify({ destination_url: endpoint.buildUrl(name) })
  const assertion = signAssertion(
    {
      tenantId: tenant.tenant_id,
      actor: { type: 'api_key', id: randomUUID() },
      permissions: permissionNames,
      traceId: randomUUID(),
    },
    { issuer: 'gateway', audience: 'webhooks', key },
    { method: 'POST', path, operation: 'createSubscription', body: Buffer.from(body) },
  )
  const response = await fetch(`http://127.0.0.1:${platform.ports.webhooks}${path}`, {
    method: 'POST',
    headers: { [assertionHeader]: assertion, 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(10_000),
  })
  if (response.status !== 201) throw new Error(`no healthy tenant: ${response.status} ${await response.text()}`)
  const { id } = (await response.json()) as { id: string }
  return { id, name, tenant, eventTypes: null, always: true, visible: true }
}

const toOwner = ({ tenant }: Tracked): Owner => ({
  tenantId: tenant.tenant_id,
  businessUnitId: tenant.business_unit_id,
})

async function underBackgroundLoad({ world, others, notes }: WebhookRound): Promise<number> {
  const { endpoint, databaseUrl } = world
  for (let number = 0; number < healthyTenants; number += 1) others.push(await subscribeHealthyTenant(world, number))
  const without = await emitPaced(world, others)
  const dead = await subscribeHealthyTenant(world, healthyTenants)
  endpoint.behave(dead.name, () => undefined)
  await emit(world, new Array<Owner>(backlog).fill(toOwner(dead)))
  const stored = `SELECT count(*)::int AS count FROM deliveries WHERE subscription_id = $1`
  await withClient(databaseUrl('webhooks'), (admin) =>
    until('backlog', async () => (await admin.query<{ count: number }>(stored, [dead.id])).rows[0]?.count === backlog),
  )
  const beside = await emitPaced(world, others)
  endpoint.behave(dead.name, ok)
  others.push(dead)
  notes.push(
    `${healthyTenants} others, commit to arrival: ${beside}, its p99 to be under 250 ms; before the backlog was there: ${without}`,
  )
  return backlog
}

/** The latencies as text. */
async function emitPaced(world: World, others: readonly Tracked[]): Promise<string> {
  const from = await world.ledger.mark()
  await pace(world, others)
  const events = await world.ledger.between(from, await world.ledger.mark())
  const waits = await arrivals(world, others, events)
  const of = (share: number) => Math.round(waits[Math.floor(waits.length * share)] ?? Number.NaN)
  return `p50 ${of(0.5)} ms, p99 ${of(0.99)} ms`
}

/** Emits events at `perSecond`, to each of the others in rotation. */
async function pace(world: World, others: readonly Tracked[]): Promise<void> {
  await withClient(world.databaseUrl('payment-proxy'), async (admin) => {
    const startedAt = performance.now()
    for (let sent = 0; sent < eventsPaced; sent += 1) {
      const dueMs = startedAt + (sent * 1_000) / perSecond - performance.now()
      if (dueMs > 1) await delay(dueMs)
      const one = others[sent % others.length]
      if (one !== undefined) await admin.query(insertSql, [JSON.stringify([{ id: newId(), ...toOwner(one) }])])
    }
  })
}

/** From the commit of each event to its arrival, the shortest first. */
async function arrivals(
  { endpoint }: World,
  others: readonly Tracked[],
  events: readonly CommittedEvent[],
): Promise<number[]> {
  const names = new Map(others.map(({ tenant, name }) => [tenant.tenant_id, name]))
  const findArrival = ({ id, tenantId }: CommittedEvent) => endpoint.arrivalsAt(names.get(tenantId) ?? '').get(id)
  await until("arrival of the others' events", () => events.every((event) => findArrival(event) !== undefined), 60_000)
  return events
    .map((event) => (findArrival(event)?.at.getTime() ?? Number.NaN) - event.at.getTime())
    .sort((a, b) => a - b)
}

export const backgroundLoadFaults: readonly WebhookFault[] = [
  { name: 'dead tenant with a backlog of 10 000', withoutLoad: true, run: underBackgroundLoad },
]

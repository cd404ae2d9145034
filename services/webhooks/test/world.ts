import { type KeyObject, randomUUID } from 'node:crypto'
import { newId } from '@payments/chassis/base/id'
import { createMetrics } from '@payments/chassis/process/metrics'
import type { EventMessage } from '@payments/contracts/grammar/event'
import type { Permission } from '@payments/contracts/grammar/permission'
import { webhooks } from '@payments/contracts/services/webhooks/contract'
import type { Delivery, DeliveryWithAttempts } from '@payments/contracts/services/webhooks/delivery'
import type { Lookup } from '@payments/egress/resolve'
import { domainEvents, markerQueueName, named } from '@payments/messaging/broker/topology'
import { Relay } from '@payments/messaging/outbox/relay'
import { createBusinessUnitCopies } from '@payments/service/business-units/copies'
import { privateBroker } from '@payments/testing/broker/broker'
import { signedMessage, testEventSignKeys, testEventVerifyKeys } from '@payments/testing/broker/signed-events'
import { testPool } from '@payments/testing/database/database'
import { businessUnitPeer, type FindUnit, type GivenUnit, insertUnit } from '@payments/testing/peers/business-units'
import { localVault } from '@payments/testing/services/local-vault'
import { serviceWorld } from '@payments/testing/services/service-world'
import { until } from '@payments/testing/services/until'
import type { Vault } from '@payments/vault/vault'
import { Registry } from 'prom-client'
import { createApp } from '../src/api/app.ts'
import { openBroker } from '../src/broker/broker.ts'
import type { DeadLetterQueues } from '../src/broker/dead-letter-queues.ts'
import { dispatcherTopology, queueNames } from '../src/broker/queues.ts'
import { startWaits } from '../src/changes/waits.ts'
import { openDispatcherDatabase } from '../src/dispatch/database.ts'
import { createDispatchMetrics } from '../src/dispatch/metrics.ts'
import { reconcileDeadLetters } from '../src/dispatch/reconcile.ts'
import { startDispatcher } from '../src/dispatch/start.ts'
import type { AttemptsInFlight } from '../src/domain/attempt/attempt-limits.ts'
import { bucketDelaysMs, parseSchedule } from '../src/domain/delivery/schedule.ts'
import type { BreakerRules } from '../src/domain/subscription/breaker.ts'
import { createDestinations } from '../src/egress/destinations.ts'
import { type Database, openDatabase } from '../src/store/database.ts'

export interface WorldOptions {
  readonly schedule?: string
  readonly allowPrivate?: boolean
  readonly breaker?: Partial<BreakerRules>
  readonly inFlight?: AttemptsInFlight
  /** The addresses of names. Default: one public address. */
  readonly lookup?: Lookup
  /** The response of business-unit for a unit without a copy. Default: no such unit. */
  readonly findUnit?: FindUnit
  /** Whether events of the service are published. Default: yes. */
  readonly relays?: boolean
  /** Default: a vault with one local key. */
  readonly vaultOn?: (db: Database, registry: Registry) => Vault
}

const breakerRules: BreakerRules = {
  failedPercentMin: 50,
  attemptsMin: 10,
  windowMs: 60_000,
  connectErrorsMax: 5,
  probeAfterMs: 30_000,
}

const publicAddress = '93.184.215.14'

/** One real webhooks API on a private database, with private queues; `dispatch` adds a dispatcher. */
export async function startWorld(options: WorldOptions = {}) {
  const { schedule: written = '0s,200ms,400ms', allowPrivate = true, breaker = {} } = options
  const { lookup = async () => [publicAddress], inFlight = { perDestinationMax: 10, perTenantMax: 50 } } = options
  const { findUnit = async () => null, vaultOn, relays = true } = options
  const schedule = parseSchedule(written)
  if (schedule === undefined) throw new Error(`not a schedule: ${written}`)
  const service = await serviceWorld(webhooks, openDatabase)
  const { database, db } = service
  const { log, metrics } = service.deps
  const { url, prefix, discard } = await privateBroker()
  const names = queueNames(prefix)
  const topology = dispatcherTopology(prefix, schedule)
  const broker = await openBroker({ url, prefix, name: 'webhooks-test', topology, schedule, log })
  const { vault, vaultKeys } =
    vaultOn === undefined
      ? localVault(service.deps)
      : { vault: vaultOn(db, metrics.registry), vaultKeys: new Map<string, KeyObject>() }
  const egress = { allowPrivate, lookup }
  const destinations = createDestinations(egress)
  const businessUnit = await businessUnitPeer('webhooks', findUnit)
  const businessUnits = createBusinessUnitCopies({ db, client: businessUnit.client })
  const waits = startWaits(service.deps)
  const deps = {
    ...service.deps,
    waits,
    vault,
    destinations,
    businessUnits,
    deadLetters: broker.deadLetters,
    quarantine: broker.quarantine,
    brokerCheck: broker.check,
  }
  const app = createApp(deps)
  const stops: (() => Promise<void>)[] = []
  const exchange = domainEvents(prefix)
  const markerQueue = markerQueueName(prefix, 'webhooks')
  const { publisher, publishing: connection } = broker
  const producer = { name: 'webhooks', keys: testEventSignKeys }
  const relayOptions = {
    db: db.crossTenant,
    publisher,
    connection,
    exchange,
    producer,
    markerQueue,
    log,
    metrics: new Registry(),
  }
  const relay = relays ? new Relay(relayOptions) : undefined
  db.commits.listen(() => relay?.wake())
  await until(async () => (await broker.check()) === null)

  const callers = service.createCallers(app)
  return {
    ...service,
    deps,
    app,
    broker,
    businessUnits,
    waits,
    /** Gives a tenant a business unit. Returns its id. */
    unit: async (tenantId: string, { businessUnitId = randomUUID(), ...given }: Partial<GivenUnit> = {}) => {
      await insertUnit(db, { tenantId, businessUnitId, ...given })
      return businessUnitId
    },
    brokerUrl: url,
    log,
    metrics,
    names,
    prefix,
    vaultKeys,
    appWith: (other: Vault) => createApp({ ...deps, vault: other }),
    asOperator: callers.asOperator(),
    asTenant: (tenantId: string, permissions?: readonly Permission[], actorId: string = randomUUID(), at = app) =>
      service.createCallers(at).asTenant(tenantId, permissions, { type: 'api_key', id: actorId }),
    reconcile: (graceMs: number, deadLetters: DeadLetterQueues = broker.deadLetters) =>
      reconcileDeadLetters({ db, log, deadLetters, metrics: createDispatchMetrics(new Registry()) }, graceMs),
    /** Starts another dispatcher, by default with the vault of the API. It ends by its `stop` or that of the world. */
    dispatch: async (through: string = url, ownVault: Vault = vault) => {
      const own = openDispatcherDatabase(database.url, testPool)
      const metrics = createMetrics('webhooks-dispatcher')
      const dispatcher = await startDispatcher({
        broker: { url: through, prefix },
        verifyKeys: testEventVerifyKeys,
        db: own,
        vault: ownVault,
        schedule,
        retentionDays: 30,
        breaker: { ...breakerRules, ...breaker },
        inFlight,
        egress,
        log,
        metrics,
      })
      let stopped = false
      const stop = async () => {
        if (stopped) return
        stopped = true
        await dispatcher.stop()
        await own.close()
      }
      stops.push(stop)
      await until(async () => {
        const reasons = await Promise.all(Object.values(dispatcher.readiness.required).map((check) => check()))
        return reasons.every((reason) => reason === null)
      })
      return { stop, metrics }
    },
    /** Publishes an event as the relay of a service does. */
    publish: (event: EventMessage) => broker.publisher.publish({ exchange, ...signedMessage(event) }),
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()))
      await Promise.all([relay?.stop(), waits.stop()])
      await businessUnit.stop()
      await broker.close()
      const queues = [
        names.events,
        names.deliveries,
        names.deadLetters,
        names.quarantine,
        markerQueue,
        named(prefix, 'webhooks.business-units'),
      ]
      const retryQueues = bucketDelaysMs(schedule).map((delayMs) => names.retry(delayMs))
      await discard({ queues: [...queues, ...retryQueues], exchanges: [exchange] })
      await service.stop()
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>

export function someEvent(
  tenantId: string,
  businessUnitId: string | null,
  given: Partial<EventMessage> = {},
): EventMessage {
  return {
    id: newId(),
    type: 'payment-proxy.transactions.capture',
    tenant_id: tenantId,
    business_unit_id: businessUnitId,
    trace_id: randomUUID(),
    occurred_at: new Date().toISOString(),
    payload: { amount: 1999, note: 'Ünïcode  \u2028 "quoted"' },
    ...given,
  }
}

/** A tenant with a business unit that has a copy. */
export async function tenantWithUnit(world: World, tenantId: string = randomUUID()) {
  const unitId = await world.unit(tenantId)
  return { tenantId, unitId, tenant: world.asTenant(tenantId), unitPath: `/v1/webhooks/${unitId}/webhooks` }
}

/** A tenant with a unit and a subscription; a given unit has a copy. */
export async function subscribe(
  world: World,
  destinationUrl: string,
  given: {
    tenantId?: string
    unitId?: string
    event_types?: string[]
    webhook_auth_info_id?: string
    enabled?: boolean
  } = {},
) {
  const { tenantId = randomUUID(), ...rest } = given
  const { unitId = await world.unit(tenantId), ...body } = rest
  const tenant = world.asTenant(tenantId)
  const unitPath = `/v1/webhooks/${unitId}/webhooks`
  const created = await tenant.post(unitPath, { destination_url: destinationUrl, ...body })
  if (created.status !== 201) throw new Error(`${created.status} ${created.text}`)
  const { id } = created.body as { id: string }
  const revealed = await tenant.get(`${unitPath}/${id}/reveal`)
  return {
    tenantId,
    unitId,
    tenant,
    id,
    secret: (revealed.body as { secret: string }).secret,
    unitPath,
    path: `${unitPath}/${id}`,
    deliveries: async (query = '') => {
      const { body } = await tenant.get(`/v1/webhooks/${unitId}/deliveries${query}`)
      return (body as { data: Delivery[] }).data
    },
    delivery: async (deliveryId: string) => {
      const { body } = await tenant.get(`/v1/webhooks/${unitId}/deliveries/${deliveryId}`)
      return body as DeliveryWithAttempts
    },
  }
}

export type Subscribed = Awaited<ReturnType<typeof subscribe>>

/** Waits until a delivery of the subscription has the status, and returns the delivery. */
export async function settled(subscribed: Subscribed, status: Delivery['status'], timeoutMs = 30_000) {
  let found: Delivery | undefined
  await until(async () => {
    found = (await subscribed.deliveries()).find((delivery) => delivery.status === status)
    return found !== undefined
  }, timeoutMs)
  if (found === undefined) throw new Error('unreachable')
  return subscribed.delivery(found.id)
}

import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { App } from '@payments/chassis/app'
import { newId } from '@payments/chassis/id'
import { createLog } from '@payments/chassis/log'
import { createMetrics } from '@payments/chassis/metrics'
import type { EventMessage } from '@payments/contracts/event'
import { type Permission, permissionNames } from '@payments/contracts/permission'
import { webhooks } from '@payments/contracts/webhooks'
import type { Delivery, DeliveryWithAttempts } from '@payments/contracts/webhooks-delivery'
import { startRelay } from '@payments/messaging/relay'
import { domainEvents, markerQueueName } from '@payments/messaging/topology'
import { privateBroker } from '@payments/testing/broker'
import { privateDatabase } from '@payments/testing/database'
import { keysOfEveryProcess } from '@payments/testing/edges'
import { openConnections } from '@payments/testing/open-connections'
import { signCall } from '@payments/testing/signed-call'
import { Registry } from 'prom-client'
import request from 'supertest'
import { createApp } from '../src/api/app.ts'
import { openBroker } from '../src/broker/broker.ts'
import { dispatcherTopology, queueNames } from '../src/broker/queues.ts'
import { createDispatchMetrics } from '../src/dispatch/metrics.ts'
import { reconcileDeadLetters } from '../src/dispatch/reconcile.ts'
import { startDispatcher } from '../src/dispatch/start.ts'
import type { BreakerRules } from '../src/domain/breaker.ts'
import { bucketDelaysMs, parseSchedule } from '../src/domain/schedule.ts'
import { createDestinations } from '../src/egress/destinations.ts'
import type { Lookup } from '../src/egress/resolve.ts'
import { openDatabase, openDispatcherDatabase } from '../src/store/database.ts'
import { openVault } from '../src/store/vault.ts'

const edgeKey = createSecretKey(randomBytes(32))
const vaultKey = randomBytes(32)
const vaultConfig = { VAULT_KEYS: new Map([['k1', createSecretKey(vaultKey)]]), VAULT_KEY_CURRENT: 'k1' }

export interface WorldOptions {
  readonly schedule?: string
  readonly allowPrivate?: boolean
  readonly breaker?: Partial<BreakerRules>
  /** The addresses of names. Default: one public address. */
  readonly lookup?: Lookup
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
  const { lookup = async () => [publicAddress] } = options
  const schedule = parseSchedule(written)
  if (schedule === undefined) throw new Error(`not a schedule: ${written}`)
  const database = await privateDatabase('webhooks')
  const { url, prefix, discard } = await privateBroker()
  const log = createLog('webhooks', process.env['TEST_LOG_LEVEL'] ?? 'silent')
  const db = openDatabase(database.url)
  const names = queueNames(prefix)
  const topology = dispatcherTopology(prefix, schedule)
  const broker = await openBroker({ url, prefix, name: 'webhooks-test', topology, schedule, log })
  const metrics = createMetrics('webhooks')
  const vault = openVault(vaultConfig, db, metrics.registry)
  const egress = { allowPrivate, lookup }
  const destinations = createDestinations(egress)
  const keys = keysOfEveryProcess(edgeKey)
  const app = createApp({ db, vault, destinations, deadLetters: broker.deadLetters, keys, log, metrics })
  const stops: (() => Promise<void>)[] = []
  await openConnections(db, 10)
  const exchange = domainEvents(prefix)
  const markerQueue = markerQueueName(prefix, 'webhooks')
  const { publisher, publishing: connection } = broker
  const relay = startRelay({ db: db.sql, publisher, connection, exchange, markerQueue, log })
  db.afterCommit(() => relay.wake())
  await until(async () => (await broker.deadLetters.check()) === null)

  return {
    app,
    broker,
    brokerUrl: url,
    database,
    edgeKey,
    db,
    log,
    names,
    prefix,
    vaultKeys: { VAULT_KEYS: JSON.stringify({ k1: vaultKey.toString('base64') }), VAULT_KEY_CURRENT: 'k1' },
    asOperator: caller(app, { type: 'service', id: 'gateway' }, null, []),
    asTenant: (
      tenantId: string,
      permissions: readonly Permission[] = permissionNames,
      actorId: string = randomUUID(),
    ) => caller(app, { type: 'api_key', id: actorId }, tenantId, permissions),
    reconcile: (graceMs: number) =>
      reconcileDeadLetters(
        { db, log, deadLetters: broker.deadLetters, metrics: createDispatchMetrics(new Registry()) },
        graceMs,
      ),
    /** Starts another dispatcher. It runs until its `stop` or that of the world. */
    dispatch: async (through: string = url) => {
      const own = openDispatcherDatabase(database.url)
      const metrics = createMetrics('webhooks-dispatcher')
      const dispatcher = await startDispatcher({
        broker: { url: through, prefix },
        db: own,
        vault,
        schedule,
        retentionDays: 30,
        breaker: { ...breakerRules, ...breaker },
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
        const reasons = await Promise.all(Object.values(dispatcher.readiness).map((check) => check()))
        return reasons.every((reason) => reason === null)
      })
      return { stop, metrics }
    },
    /** Publishes an event as the relay of a service does. */
    publish: (event: EventMessage) =>
      broker.publisher.publish({
        exchange: domainEvents(prefix),
        routingKey: event.type,
        body: Buffer.from(JSON.stringify(event)),
        messageId: event.id,
      }),
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()))
      await relay.stop()
      await broker.close()
      await db.close()
      const queues = [names.events, names.deliveries, names.deadLetters, names.quarantine, markerQueue]
      const retryQueues = bucketDelaysMs(schedule).map((delayMs) => names.retry(delayMs))
      await discard({ queues: [...queues, ...retryQueues], exchanges: [domainEvents(prefix)] })
      await database.drop()
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>

type ActorClaim = { type: 'api_key' | 'service'; id: string }
type Method = 'get' | 'post' | 'put' | 'delete'

/** Calls the app like the gateway, with an assertion for this request. */
function caller(app: App, actor: ActorClaim, tenantId: string | null, permissions: readonly Permission[]) {
  const send = (method: Method, path: string, body?: object, headers: Record<string, string> = {}) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const claims = { tenantId, actor, permissions, traceId: randomUUID() }
    const assertion = signCall(webhooks, edgeKey, claims, { method: method.toUpperCase(), path, body: text })
    const sent = request(app)[method](path).set('Internal-Assertion', assertion).set(headers)
    return text === undefined ? sent : sent.type('application/json').send(text)
  }
  return {
    get: (path: string) => send('get', path),
    post: (path: string, body: object = {}, headers: Record<string, string> = {}) => send('post', path, body, headers),
    put: (path: string, body: object) => send('put', path, body),
    delete: (path: string) => send('delete', path),
  }
}

/** Waits for a condition, at most `timeoutMs`. */
export async function until(condition: () => Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    if (await condition()) return
    if (Date.now() > deadline) throw new Error(`not met within ${timeoutMs} ms: ${condition.toString()}`)
    await delay(50)
  }
}

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

/** A tenant with a unit and a subscription. */
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
  const { tenantId = randomUUID(), unitId = randomUUID(), ...body } = given
  const tenant = world.asTenant(tenantId)
  const path = `/v1/webhooks/${unitId}/webhooks`
  const created = await tenant.post(path, { destination_url: destinationUrl, ...body })
  if (created.status !== 201) throw new Error(`${created.status} ${created.text}`)
  const { id } = created.body as { id: string }
  const revealed = await tenant.get(`${path}/${id}/reveal`)
  return {
    tenantId,
    unitId,
    tenant,
    id,
    secret: (revealed.body as { secret: string }).secret,
    path: `${path}/${id}`,
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

const hourMs = 3_600_000

/** The columns of a delivery in a status, as the CHECK constraints require. The sweeper acts on it in an hour. */
export function columnsOf(status: Delivery['status']) {
  const isSwept = status === 'pending' || status === 'retrying' || status === 'delivering'
  return {
    status,
    backlogged: status === 'held',
    queued: false,
    sweepAt: isSwept ? new Date(Date.now() + hourMs) : null,
    nextAttemptAt: null,
    deadAt: status === 'dead' ? new Date() : null,
  }
}

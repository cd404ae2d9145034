/**
 * The setup of the dispatcher benchmarks: a private database, a private prefix on the broker, a dispatcher process, and
 * tenants with subscriptions.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createLog, type Log } from '@payments/chassis/observability/log'
import { createMetrics } from '@payments/chassis/process/metrics'
import { serviceFlags } from '@payments/devkit/platform/process-plan'
import { domainEvents, named, type QueueAddress, quorumQueue, type Topology } from '@payments/messaging/broker/topology'
import { consume } from '@payments/messaging/consume/consume'
import { privateBroker } from '@payments/testing/broker/broker'
import { signedMessage, testEventEnvironment } from '@payments/testing/broker/signed-events'
import { type PrivateDatabase, privateDatabase } from '@payments/testing/database/database'
import { openVault } from '@payments/vault/open'
import { type Broker, openBroker } from '#webhooks/broker/broker'
import { dispatcherTopology, queueNames } from '#webhooks/broker/queues'
import { writeSecret } from '#webhooks/domain/attempt/signature'
import { bucketDelaysMs, parseSchedule } from '#webhooks/domain/delivery/schedule'
import { secretBinding } from '#webhooks/domain/subscription/subscription'
import { openDatabase } from '#webhooks/store/database'
import { insertSubscription } from '#webhooks/store/subscription/subscriptions'
import { type Child, startChild, until } from '../measure/child-process.ts'
import { measureRate, type Rate } from '../measure/cpu-time.ts'
import type { ReceiverReady, ReceiverReport } from './receiver.ts'

export const payload = { note: 'x'.repeat(1_000) }

/** The tenant and business unit of an event. */
export interface Target {
  readonly tenant_id: string
  readonly business_unit_id: string
}

export interface WebhooksSetup {
  readonly database: PrivateDatabase
  /** One subscription per URL. Each tenant has one business unit with `perTenant` subscriptions. */
  readonly subscribeAll: (urls: readonly string[], perTenant: number) => Promise<Target[]>
  readonly startDispatcher: (environment?: Readonly<Record<string, string>>) => ChildProcess
  /** Publishes an event of the target; resolves with the broker's confirm. */
  readonly publish: (target: Target, eventPayload?: object) => Promise<void>
  /** Consumes and acknowledges `messages` messages of a queue, without any work. */
  readonly consumeOnly: (messages: number) => Promise<Rate>
  readonly close: () => Promise<void>
}

export type Receiver = Child<ReceiverReady, object, ReceiverReport>

export function startReceiver(destinations: number): Promise<Receiver> {
  return startChild('webhooks/receiver', { args: [String(destinations)] })
}

const retrySchedule = '0s,5s,30s'
const eventType = 'payment-proxy.transactions.capture'

export async function setUpWebhooks(): Promise<WebhooksSetup> {
  const schedule = parseSchedule(retrySchedule) ?? []
  const database = await privateDatabase('webhooks')
  const { url, prefix, discard } = await privateBroker()
  const log = createLog('bench', 'fatal')
  const names = queueNames(prefix)
  const quarantine = { exchange: names.exchange, queue: names.quarantine }
  const plain = { queue: named(prefix, 'bench.plain'), quarantine }
  const plainTopology = [quorumQueue(plain.queue, { deliveryLimit: null })]
  const topology = [...dispatcherTopology(prefix, schedule), ...plainTopology]
  const broker = await openBroker({ url, prefix, name: 'bench', topology, log })
  const db = openDatabase(database.url)
  const key = randomBytes(32)
  const keys = { VAULT_KEYS: new Map([['k1', createSecretKey(key)]]), VAULT_KEY_CURRENT: 'k1' }
  const vault = openVault(keys, db, createMetrics('bench').registry)
  const subscribe = async (tenantId: string, businessUnitId: string, destinationUrl: string) => {
    const id = randomUUID()
    const secretEncrypted = await vault.encrypt(secretBinding(tenantId, id), writeSecret(randomBytes(32)))
    const subscription = { id, businessUnitId, destinationUrl, label: null, eventTypes: [], webhookAuthInfoId: null }
    await db.inTenant(tenantId, (tx) =>
      insertSubscription(tx, tenantId, { ...subscription, enabled: true, secretMasked: '', secretEncrypted }),
    )
  }

  return {
    database,
    async subscribeAll(urls, perTenant) {
      const count = Math.ceil(urls.length / perTenant)
      const targets = Array.from({ length: count }, () => ({ tenant_id: randomUUID(), business_unit_id: randomUUID() }))
      for (const [tenant, target] of targets.entries()) {
        const own = urls.slice(tenant * perTenant, (tenant + 1) * perTenant)
        for (const destinationUrl of own) await subscribe(target.tenant_id, target.business_unit_id, destinationUrl)
      }
      return targets
    },
    startDispatcher: (environment = {}) =>
      forkDispatcher({
        DATABASE_URL: database.url,
        AMQP_URL: url,
        MESSAGING_PREFIX: prefix,
        EVENT_VERIFY_KEYS: testEventEnvironment.EVENT_VERIFY_KEYS,
        VAULT_KEYS: JSON.stringify({ k1: key.toString('base64') }),
        VAULT_KEY_CURRENT: 'k1',
        ...environment,
      }),
    publish: (target, eventPayload = payload) =>
      broker.publisher.publish({
        exchange: domainEvents(prefix),
        ...signedMessage(buildEvent(target, eventPayload)),
      }),
    consumeOnly: (messages) => consumeOnly(broker, { ...plain, topology: plainTopology, messages, log }),
    async close() {
      await broker.close()
      await db.close()
      const retryQueues = bucketDelaysMs(schedule).map((delayMs) => names.retry(delayMs))
      const queues = [names.events, names.deliveries, names.deadLetters, names.quarantine, ...retryQueues]
      await discard({ queues: [...queues, plain.queue], exchanges: [domainEvents(prefix)] })
      await database.drop()
    },
  }
}

function buildEvent(target: Target, eventPayload: object) {
  return {
    id: randomUUID(),
    type: eventType,
    trace_id: randomUUID(),
    occurred_at: new Date().toISOString(),
    payload: eventPayload,
    ...target,
  }
}

async function consumeOnly(
  { publisher, consuming }: Broker,
  options: { queue: string; quarantine: QueueAddress; topology: Topology; messages: number; log: Log },
): Promise<Rate> {
  const { messages, ...queueOptions } = options
  const body = Buffer.from(JSON.stringify({ payload }))
  const batchMax = 5_000
  for (let sent = 0; sent < messages; sent += batchMax) {
    const batch = Array.from({ length: Math.min(batchMax, messages - sent) }, () =>
      publisher.publish({ exchange: '', routingKey: options.queue, body, messageId: randomUUID() }),
    )
    await Promise.all(batch)
  }
  let consumed = 0
  return measureRate(messages, process.pid, async () => {
    const consumer = consume<unknown>({
      ...queueOptions,
      connection: consuming,
      publisher,
      prefetch: 200,
      metrics: createMetrics('bench').registry,
      read: (message) => JSON.parse(message.toString('utf8')),
      handle: async () => {
        consumed += 1
      },
    })
    await until(() => consumed >= messages)
    await consumer.stop()
  })
}

/** `BENCH_NODE_OPTIONS` adds flags of Node, such as for its profiler. */
function forkDispatcher(environment: Readonly<Record<string, string>>): ChildProcess {
  return fork(fileURLToPath(import.meta.resolve('#webhooks/dispatcher')), {
    env: {
      ENVIRONMENT: 'dev',
      LOG_LEVEL: 'error',
      INTERNAL_PORT: '0',
      WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true',
      WEBHOOKS_RETRY_SCHEDULE: retrySchedule,
      ...environment,
    },
    execArgv: [...serviceFlags, ...(process.env['BENCH_NODE_OPTIONS']?.split(' ') ?? [])],
  })
}

/** Publishes `count` events to each target and waits until `deliveries` more deliveries got a response. */
export async function deliverAll(
  setup: Pick<WebhooksSetup, 'publish'>,
  receiver: Receiver,
  { targets, count, deliveries }: { targets: readonly Target[]; count: number; deliveries: number },
): Promise<void> {
  const goal = (await receiver.request({})).responded + deliveries
  // The targets alternate, so the first events belong to all of them.
  const published = Array.from({ length: count }, () => targets.map((target) => setup.publish(target)))
  await Promise.all(published.flat())
  await until(async () => (await receiver.request({})).responded >= goal)
}

/**
 * Publishes `perSecond` events for `seconds`, to the targets in turn, without waiting for responses. Returns the time
 * from publishing to arrival, in ms, of the first `deliveries` deliveries or more.
 */
export async function paceArrivals(
  setup: Pick<WebhooksSetup, 'publish'>,
  receiver: Receiver,
  options: { targets: readonly Target[]; perSecond: number; seconds: number; deliveries: number },
): Promise<number[]> {
  const { targets, perSecond, seconds, deliveries } = options
  const goal = (await receiver.request({})).responded + deliveries
  const from = performance.now()
  for (let sent = 0; sent < perSecond * seconds; sent += 1) {
    const dueMs = from + (sent * 1_000) / perSecond - performance.now()
    if (dueMs > 1) await delay(dueMs)
    const target = targets[sent % targets.length]
    if (target !== undefined) void setup.publish(target, { sent_at: Date.now(), ...payload })
  }
  const arrivalMs: number[] = []
  await until(async () => {
    const report = await receiver.request({})
    arrivalMs.push(...report.arrivalMs)
    return report.responded >= goal
  })
  return arrivalMs
}

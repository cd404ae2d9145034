/**
 * The setup of the dispatcher benchmarks: a private database, a private prefix on the broker, a dispatcher process, and
 * tenants with subscriptions.
 */
import { fork } from 'node:child_process'
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createLog } from '@payments/chassis/observability/log'
import { createMetrics } from '@payments/chassis/process/metrics'
import { serviceFlags } from '@payments/devkit/platform/process-plan'
import { domainEvents } from '@payments/messaging/broker/topology'
import { privateBroker } from '@payments/testing/broker/broker'
import { signedMessage, testEventEnvironment } from '@payments/testing/broker/signed-events'
import { privateDatabase } from '@payments/testing/database/database'
import { until } from '@payments/testing/services/until'
import { openVault } from '@payments/vault/open'
import { openBroker } from '#webhooks/broker/broker'
import { dispatcherTopology, queueNames } from '#webhooks/broker/queues'
import { writeSecret } from '#webhooks/domain/attempt/signature'
import { bucketDelaysMs, parseSchedule } from '#webhooks/domain/delivery/schedule'
import { secretBinding } from '#webhooks/domain/subscription/subscription'
import { openDatabase } from '#webhooks/store/database'
import { insertSubscription } from '#webhooks/store/subscription/subscriptions'
import { type Child, type Cleanup, endProcess, requirePid, startChild } from '../measure/child-process.ts'
import type { ReceiverReady, ReceiverReport } from './receiver.ts'

export const payload = { note: 'x'.repeat(1_000) }

/** The tenant and business unit of an event. */
export interface Target {
  readonly tenant_id: string
  readonly business_unit_id: string
}

export type WebhooksSetup = Awaited<ReturnType<typeof setUpWebhooks>>
export type Receiver = Child<ReceiverReady, object, ReceiverReport>

export function startReceiver(cleanups: Cleanup[], destinations: number): Promise<Receiver> {
  return startChild(cleanups, 'webhooks/receiver', { args: [String(destinations)] })
}

/** Of all deliveries of a round. */
const deliveryMsMax = 120_000
const retrySchedule = '0s,5s,30s'
const eventType = 'payment-proxy.transactions.capture'

export async function setUpWebhooks(cleanups: Cleanup[]) {
  const schedule = parseSchedule(retrySchedule) ?? []
  const database = await privateDatabase('webhooks')
  const { url, prefix, discard } = await privateBroker()
  const log = createLog('bench', 'fatal')
  const names = queueNames(prefix)
  const topology = dispatcherTopology(prefix, schedule)
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

  cleanups.push(async () => {
    await broker.close()
    await db.close()
    const retryQueues = bucketDelaysMs(schedule).map((delayMs) => names.retry(delayMs))
    const queues = [names.events, names.deliveries, names.deadLetters, names.quarantine, ...retryQueues]
    await discard({ queues, exchanges: [domainEvents(prefix)] })
    await database.drop()
  })
  return {
    database,
    /** One subscription per URL. Each tenant has one business unit with `perTenant` subscriptions. */
    async subscribeAll(urls: readonly string[], perTenant: number): Promise<Target[]> {
      const count = Math.ceil(urls.length / perTenant)
      const targets = Array.from({ length: count }, () => ({ tenant_id: randomUUID(), business_unit_id: randomUUID() }))
      for (const [tenant, target] of targets.entries()) {
        const own = urls.slice(tenant * perTenant, (tenant + 1) * perTenant)
        for (const destinationUrl of own) await subscribe(target.tenant_id, target.business_unit_id, destinationUrl)
      }
      return targets
    },
    /** Returns the id of the process, which ends with the bench. */
    startDispatcher(environment: Readonly<Record<string, string>> = {}): number {
      const dispatcher = forkDispatcher({
        DATABASE_URL: database.url,
        AMQP_URL: url,
        MESSAGING_PREFIX: prefix,
        EVENT_VERIFY_KEYS: testEventEnvironment.EVENT_VERIFY_KEYS,
        VAULT_KEYS: JSON.stringify({ k1: key.toString('base64') }),
        VAULT_KEY_CURRENT: 'k1',
        ...environment,
      })
      cleanups.push(() => endProcess(dispatcher))
      return requirePid(dispatcher)
    },
    /** Publishes an event of the target; resolves with the broker's confirm. */
    publish: (target: Target, eventPayload: object = payload) =>
      broker.publisher.publish({
        exchange: domainEvents(prefix),
        ...signedMessage(buildEvent(target, eventPayload)),
      }),
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

function forkDispatcher(environment: Readonly<Record<string, string>>) {
  return fork(fileURLToPath(import.meta.resolve('#webhooks/dispatcher')), {
    env: {
      ENVIRONMENT: 'dev',
      LOG_LEVEL: 'error',
      INTERNAL_PORT: '0',
      WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true',
      WEBHOOKS_RETRY_SCHEDULE: retrySchedule,
      ...environment,
    },
    execArgv: [...serviceFlags],
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
  await until(async () => (await receiver.request({})).responded >= goal, deliveryMsMax)
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
  }, deliveryMsMax)
  return arrivalMs
}

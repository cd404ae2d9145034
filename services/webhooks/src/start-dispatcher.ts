import type { ReadinessCheck } from '@payments/chassis/health'
import type { Log } from '@payments/chassis/log'
import type { Metrics } from '@payments/chassis/metrics'
import { createPause } from '@payments/messaging/deadline'
import type { Vault } from '@payments/vault/vault'
import { openBroker } from './broker.ts'
import { startConsumers, stopTimeoutMs } from './consumers.ts'
import type { BreakerRules } from './domain/breaker.ts'
import type { Schedule } from './domain/schedule.ts'
import type { WorkItem } from './domain/work-item.ts'
import { createAuthenticatedSend } from './egress/authenticated-send.ts'
import { lookupThrough } from './egress/resolve.ts'
import { createSender, type SenderOptions } from './egress/send.ts'
import { createSigningKeys } from './egress/signing-keys.ts'
import { createTokenEndpoint } from './egress/token-endpoint.ts'
import { createTokens } from './egress/tokens.ts'
import { createTraffic } from './egress/traffic.ts'
import { startDispatcherJobs } from './jobs.ts'
import { createMeters } from './meters.ts'
import { dispatcherTopology } from './queues.ts'
import type { Claimed } from './store/claim.ts'
import type { DispatcherDatabase } from './store/database.ts'
import { deliver } from './verbs/deliver.ts'
import { lineUpDelivery } from './verbs/line-up-delivery.ts'
import { createWorkers } from './workers.ts'

export interface DispatcherOptions {
  readonly broker: { readonly url: string; readonly prefix: string }
  readonly db: DispatcherDatabase
  readonly vault: Vault
  readonly schedule: Schedule
  readonly breaker: BreakerRules
  readonly retentionDays: number
  readonly egress: Omit<SenderOptions, 'stop'>
  readonly log: Log
  readonly metrics: Metrics
}

export interface Dispatcher {
  readonly readiness: Readonly<Record<string, ReadinessCheck>>
  /** Takes nothing new, gives attempts in work `attemptsGraceMs`, then gives them up uncharged. */
  stop(): Promise<void>
}

const attemptsGraceMs = 5_000

/** The whole dispatcher but its process: consumers and jobs, wired. */
export async function startDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const { db, vault, schedule, log, metrics } = options
  const { url, prefix } = options.broker
  const topology = dispatcherTopology(prefix, schedule)
  const broker = await openBroker({ url, prefix, name: 'webhooks-dispatcher', topology, schedule, log })
  const stopping = new AbortController()
  const egress = { lookup: lookupThrough([]), ...options.egress, stop: stopping.signal }
  const sender = createSender(egress)
  const tokens = createTokens(createTokenEndpoint(egress))
  const send = createAuthenticatedSend({ send: sender.send, vault, tokens })
  const meters = createMeters(metrics.registry)
  const traffic = createTraffic({ breaker: options.breaker, feeding: createPause() })
  const deps = {
    db,
    vault,
    queues: broker.queues,
    egress: { send, traffic, signingKeys: createSigningKeys(vault) },
    schedule,
    log,
    meters,
  }
  const work = (item: WorkItem, claimed?: Claimed) =>
    traffic.run(
      item,
      (place) => deliver(deps, item, place, claimed),
      () => lineUpDelivery(deps, item, claimed !== undefined),
    )
  const workers = createWorkers({ handle: work, idle: () => traffic.feeding.wake(), log })
  const finding = { ...deps, workers }
  const { consuming: connection, publisher } = broker
  const consumers = startConsumers(finding, (item) => work(item), {
    connection,
    publisher,
    prefix,
    metrics: metrics.registry,
  })
  const jobs = startDispatcherJobs(finding, broker.deadLetters, options.retentionDays)
  const consuming = async () => {
    for (const consumer of consumers) {
      const state = consumer.ready()
      if (!state.ready) return state.reason
    }
    return null
  }
  return {
    readiness: { database: () => db.check(), broker: () => broker.deadLetters.check(), consumers: consuming },
    stop: async () => {
      const giveUp = setTimeout(() => stopping.abort(), attemptsGraceMs)
      await Promise.all([...consumers.map((consumer) => consumer.stop()), ...jobs.map((job) => job.stop())])
      await workers.stop(stopTimeoutMs)
      clearTimeout(giveUp)
      sender.close()
      await broker.close()
    },
  }
}

import type { AssertionKeys } from '@payments/chassis/assertion/assertion'
import { createPause } from '@payments/chassis/base/deadline'
import type { Log } from '@payments/chassis/observability/log'
import type { Readiness } from '@payments/chassis/process/health'
import type { Metrics } from '@payments/chassis/process/metrics'
import { lookupThrough } from '@payments/egress/resolve'
import type { Vault } from '@payments/vault/vault'
import { openBroker } from '../broker/broker.ts'
import { dispatcherTopology } from '../broker/queues.ts'
import type { AttemptsInFlight } from '../domain/attempt/attempt-limits.ts'
import type { WorkItem } from '../domain/delivery/delivery.ts'
import type { Schedule } from '../domain/delivery/schedule.ts'
import type { BreakerRules } from '../domain/subscription/breaker.ts'
import { createAuthenticatedSend } from '../egress/authenticated-send.ts'
import { createSender, type SenderOptions } from '../egress/send.ts'
import { createSigningKeys } from '../egress/signing-keys.ts'
import { createTokenEndpoint } from '../egress/token-endpoint.ts'
import { createTokens } from '../egress/tokens.ts'
import type { Claimed } from '../store/delivery/claim.ts'
import { startConsumers, stopTimeoutMs } from './consumers.ts'
import { startFanOutLoop } from './continue-fan-out.ts'
import type { DispatcherDatabase } from './database.ts'
import { deliver, enqueueBacklog } from './deliver.ts'
import { createDestinationLimits } from './destination-limits.ts'
import { startDispatcherJobs, startNoteFlushes } from './jobs.ts'
import { startLiveDispatchers } from './live-dispatchers.ts'
import { createDispatchMetrics } from './metrics.ts'
import { createWorkers } from './workers.ts'

export interface DispatcherOptions {
  readonly broker: { readonly url: string; readonly prefix: string }
  /** Of the producers of events. */
  readonly verifyKeys: AssertionKeys
  readonly db: DispatcherDatabase
  readonly vault: Vault
  readonly schedule: Schedule
  readonly breaker: BreakerRules
  readonly inFlight: AttemptsInFlight
  readonly retentionDays: number
  readonly egress: Omit<SenderOptions, 'stop'>
  readonly log: Log
  readonly metrics: Metrics
}

export interface Dispatcher {
  readonly readiness: Readiness
  /** Accepts no new work, waits `attemptsGraceMs` for attempts in flight, then aborts them without counting them. */
  stop(): Promise<void>
}

const attemptsGraceMs = 5_000

/**
 * **What it does.** Starts the dispatcher, the process that creates deliveries from events and sends them.
 *
 * **Participants.**
 *
 *   webhooks.events ───► consumers.ts ─► fan-out.ts ─┐
 *   later pages of events ─► continue-fan-out.ts ────┤
 *   time ──► jobs.ts ──► backlog.ts ─────────────────┴─► workers.ts ─┐
 *   webhooks.deliveries ─► consumers.ts ─────────────────────────────┴─► limits.run ─► deliver.ts ─► receiver
 *   time ──► jobs.ts ──► sweep.ts, reconcile.ts, task-runner.ts, retain-deliveries.ts
 *
 * **Guarantees.** `stop` first ends consumers and jobs. Attempts in flight get `attemptsGraceMs`, then they are
 * aborted and not counted. The connections close last. Any number of dispatchers may run: rows decide who does what.
 *
 * **Not guaranteed.** That an aborted attempt did not reach its receiver. It is made again.
 */
export async function startDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const { db, vault, schedule, log } = options
  const { url, prefix } = options.broker
  const topology = dispatcherTopology(prefix, schedule)
  const broker = await openBroker({ url, prefix, name: 'webhooks-dispatcher', topology, schedule, log })
  const stopping = new AbortController()
  const egress = { lookup: lookupThrough([]), ...options.egress, stop: stopping.signal }
  const sender = createSender(egress)
  const tokens = createTokens(createTokenEndpoint(egress))
  const send = createAuthenticatedSend({ send: sender.send, vault, tokens })
  const metrics = createDispatchMetrics(options.metrics.registry)
  const live = await startLiveDispatchers({ db, log, metrics })
  const { breaker, inFlight } = options
  const limits = createDestinationLimits({ breaker, inFlight, ownPart: live.ownPart, backlogSignal: createPause() })
  const { queues, deadLetters } = broker
  const sending = { send, limits, signingKeys: createSigningKeys(vault) }
  const deps = { db, queues, deadLetters, ...sending, schedule, log, metrics }
  const attempt = (item: WorkItem, claimed?: Claimed) =>
    limits.run(item, (permit) => deliver(deps, item, permit, claimed))
  const attemptDue = (item: WorkItem) => (limits.startDue(item) ? attempt(item) : enqueueBacklog(deps, item, false))
  const workers = createWorkers({ handle: attempt, idle: () => limits.backlogSignal.wake(), log })
  const workerDeps = { ...deps, workers }
  const laterPages = startFanOutLoop(workerDeps, broker)
  const { verifyKeys } = options
  const consumed = { broker, verifyKeys, metrics: options.metrics.registry }
  const consumers = startConsumers({ ...workerDeps, laterPages }, attemptDue, consumed)
  const flushes = startNoteFlushes(deps)
  const jobs = startDispatcherJobs(workerDeps, broker, options.retentionDays)
  const consuming = async () => {
    for (const consumer of consumers) {
      const state = consumer.ready()
      if (!state.ready) return state.reason
    }
    return null
  }
  return {
    readiness: {
      required: { database: () => db.check(), broker: broker.check, consumers: consuming },
    },
    stop: async () => {
      const abort = setTimeout(() => stopping.abort(), attemptsGraceMs)
      await Promise.all([...consumers, ...jobs, laterPages].map((one) => one.stop()))
      await workers.stop(stopTimeoutMs)
      await Promise.all(flushes.map((one) => one.stop()))
      clearTimeout(abort)
      sender.close()
      await live.stop()
      await broker.close()
    },
  }
}

import type { AssertionKeys } from '@payments/chassis/assertion/assertion'
import type { Database } from '@payments/chassis/database/database'
import type { SqlTx } from '@payments/chassis/database/transaction'
import type { Log } from '@payments/chassis/observability/log'
import { type RequestFilter, requestFilter } from '@payments/chassis/observability/request-filter'
import type { ReadinessCheck } from '@payments/chassis/process/health'
import type { Metrics } from '@payments/chassis/process/metrics'
import { type Frame, run } from '@payments/chassis/process/run'
import type { App } from '@payments/chassis/request/app'
import type { Contract } from '@payments/contracts/grammar/contract'
import { type Broker, openBroker } from '@payments/messaging/broker/broker'
import type { Readiness } from '@payments/messaging/broker/connection'
import type { Topology } from '@payments/messaging/broker/topology'
import { startOperatorCalls } from '@payments/messaging/outbox/operator-calls'
import { startOutbox } from '@payments/messaging/outbox/start-outbox'
import type { ServiceConfig } from './config.ts'

/** The dependencies that every service has. */
export interface ServiceDeps<Db extends Database<SqlTx>> {
  readonly db: Db
  /** Verifies the internal assertions of each caller. */
  readonly keys: AssertionKeys
  /** Whether this process can publish and consume. */
  readonly brokerCheck: ReadinessCheck
  readonly log: Log
  /** Which requests have a log line. Default: all. */
  readonly isLogged?: RequestFilter | undefined
  readonly metrics: Metrics
}

/** The parts from which a service makes its dependencies. `work` and `resource` add to the drain (run.ts). */
interface ServiceParts<Config, Db extends Database<SqlTx>>
  extends ServiceDeps<Db>,
    Pick<Frame<never>, 'work' | 'resource'> {
  readonly config: Config
  readonly broker: Broker
}

interface Stoppable {
  stop(): Promise<void>
}

interface StartedConsumer extends Stoppable {
  ready(): Readiness
}

export interface Service<Config extends ServiceConfig, Db extends Database<SqlTx>, Deps extends ServiceDeps<Db>> {
  readonly contract: Contract
  readonly readConfig: () => Config
  readonly openDatabase: (url: string) => Db
  /** Declared before the first publication of the process. Default: nothing besides the queues of the consumers. */
  readonly topology?: (prefix: string) => Topology
  readonly deps: (parts: ServiceParts<Config, Db>) => Deps | Promise<Deps>
  /** Events → verbs. */
  readonly consumers?: (deps: Deps, parts: ServiceParts<Config, Db>) => readonly StartedConsumer[]
  /** Time → verbs. */
  readonly jobs: (deps: Deps, parts: ServiceParts<Config, Db>) => readonly Stoppable[]
  /** Requests → verbs. */
  readonly createApp: (deps: Deps) => App
}

/**
 * **What it does.** Runs the process of a service: opens what every service has, starts the entry points, and drains.
 *
 * **Participants.** The service, which makes its own dependencies from the parts; `run` of chassis, which drains.
 *
 * **Guarantees.** Everything starts in the order of this function. The drain first ends requests, consumers and jobs,
 * at the same time; then it closes the resources in the reverse order. A service whose configuration has keys that sign
 * events publishes its outbox. PostgreSQL and RabbitMQ may be unavailable at the start; `/readyz` reports both.
 *
 * **Not guaranteed.** The end of work that lasts longer than the drain allows (run.ts).
 */
export async function runService<
  Config extends ServiceConfig,
  Db extends Database<SqlTx>,
  Deps extends ServiceDeps<Db>,
>(service: Service<Config, Db, Deps>): Promise<void> {
  const { service: name } = service.contract
  await run(name, service.readConfig, async ({ config, log, metrics, serve, work, resource }) => {
    const db = service.openDatabase(config.DATABASE_URL)
    resource(() => db.close())

    const { AMQP_URL: url, MESSAGING_PREFIX: prefix } = config
    const broker = await openBroker({ url, prefix, name, topology: service.topology?.(prefix) ?? [], log })
    resource(() => broker.close())

    const publishing = { broker, log, metrics: metrics.registry }
    if (config.EVENT_SIGN_KEYS !== undefined) {
      const outbox = startOutbox({ db, producer: { name, keys: config.EVENT_SIGN_KEYS }, ...publishing })
      resource(() => outbox.stop())
    }
    const operatorCalls = startOperatorCalls({ db: db.sql, producer: config.AUDIT_MESSAGE_KEY, ...publishing })
    resource(() => operatorCalls.stop())

    const consumers: StartedConsumer[] = []
    const brokerCheck = async () => (await broker.check()) ?? firstReason(consumers)
    const keys = config.ASSERTION_VERIFY_KEYS
    const isLogged = requestFilter(config.LOG_REQUEST_SHARE)
    const parts = { config, db, broker, keys, brokerCheck, log, isLogged, metrics, work, resource }
    const deps = await service.deps(parts)

    consumers.push(...(service.consumers?.(deps, parts) ?? []))
    for (const each of [...consumers, ...service.jobs(deps, parts)]) work(each)
    await serve(service.createApp(deps), config)
  })
}

/** Null while every consumer receives messages. */
function firstReason(consumers: readonly StartedConsumer[]): string | null {
  for (const consumer of consumers) {
    const state = consumer.ready()
    if (!state.ready) return state.reason
  }
  return null
}

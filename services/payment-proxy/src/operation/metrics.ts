import { sharedRead } from '@payments/chassis/process/metrics'
import { openStates } from '@payments/contracts/nouns/transaction'
import { Counter, Gauge } from 'prom-client'
import type { Deps } from '../deps.ts'
import type { OpenState } from '../domain/operation.ts'
import { countOpenOperations } from '../store/operations.ts'
import { countQueuedEvents } from '../store/provider-events.ts'
import { countQuarantinedEvents } from '../store/quarantined-events.ts'

type OpenWork = Awaited<ReturnType<typeof readOpenWork>>

/** Registered by `registerOpenWork`. */
export const purgedEvents = new Counter({
  name: 'provider_events_purged_total',
  help: 'Events of payment providers that were deleted after their retention',
  registers: [],
})

/**
 * Registers the metrics of operations and provider events without a result. They are counted at each scrape, in the
 * database that all replicas share, so each replica exports the same values.
 */
export function registerOpenWork({ db, now, metrics }: Pick<Deps, 'db' | 'now' | 'metrics'>): void {
  metrics.registry.registerMetric(purgedEvents)
  // An unavailable database must not fail the other metrics.
  const work = sharedRead(() => readOpenWork({ db, now }).catch(() => undefined))
  const gauge = (name: string, help: string, readValue: (work: OpenWork) => number) =>
    new Gauge({
      name,
      help,
      registers: [metrics.registry],
      async collect() {
        const open = await work()
        this.set(open === undefined ? Number.NaN : readValue(open))
      },
    })
  new Gauge({
    name: 'payment_operations_open',
    help: 'Operations whose outcome is not known, by state',
    labelNames: ['state'],
    registers: [metrics.registry],
    async collect() {
      const open = await work()
      for (const state of openStates) this.set({ state }, open === undefined ? Number.NaN : count(open, state))
    },
  })
  gauge(
    'payment_oldest_open_operation_age_seconds',
    'Age of the oldest operation whose outcome is not known',
    ({ operations }) => Math.max(0, ...operations.map((row) => row.oldestAgeSeconds)),
  )
  gauge(
    'payment_operation_overdue_seconds',
    'Time since the next query of the provider about an open operation was due, the longest of all operations',
    ({ operations }) => Math.max(0, ...operations.map((row) => row.overdueSeconds)),
  )
  gauge('provider_events_waiting', 'Events of payment providers that are not applied yet', ({ events }) => events.count)
  gauge(
    'payment_events_quarantined',
    'Events of recorded outcomes that their contract rejected',
    ({ quarantined }) => quarantined,
  )
  gauge(
    'provider_event_overdue_seconds',
    'Time since the application of an event of a payment provider was due, the longest of all events',
    ({ events }) => events.overdueSeconds,
  )
}

function readOpenWork({ db, now }: Pick<Deps, 'db' | 'now'>) {
  const at = now()
  return db.acrossTenants(async (tx) => ({
    operations: await countOpenOperations(tx, at),
    events: await countQueuedEvents(tx, at),
    quarantined: await countQuarantinedEvents(tx),
  }))
}

function count({ operations }: OpenWork, state: OpenState): number {
  return operations.find((row) => row.state === state)?.count ?? 0
}

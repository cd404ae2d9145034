import { type EventConsumerSettings, eventTrustOf } from '@payments/chassis/assertion/event-keys'
import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'
import type { Log } from '@payments/chassis/observability/log'
import type { Metrics } from '@payments/chassis/process/metrics'
import { erasureReportPatterns, erasureRequestPatterns } from '@payments/contracts/edges/event-patterns'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { addressOf, erasureRequest } from '@payments/contracts/nouns/payer-erasure'
import {
  binding,
  domainEvents,
  named,
  ownExchange,
  quorumQueue,
  reachedThrough,
} from '@payments/messaging/broker/topology'
import { type Consumer, consume } from '@payments/messaging/consume/consume'
import { type EventConsumerOptions, eventReader } from '@payments/messaging/consume/event-reader'
import { storeErasure } from './erasure-row.ts'

const deliveryLimit = 20
const prefetch = 20
const stopTimeoutMs = 8_000

/** The queue of requests and reports of erasures of a service, without prefix. */
export const payerErasureQueue = (service: string): string => `${service}.payer-erasures`

export interface ErasureConsumerDeps {
  readonly log: Log
  readonly metrics: Metrics
}

export interface ErasureConsumerParts extends Pick<EventConsumerOptions, 'broker'> {
  readonly config: EventConsumerSettings
}

/** Stores each request to erase a payer as work of the service. */
export function consumeErasureRequests<Tx extends SqlTx>(
  service: string,
  deps: ErasureConsumerDeps & { readonly db: Transactions<Tx> },
  parts: ErasureConsumerParts,
): Consumer<EventMessage> {
  return consumeErasures(service, erasureRequestPatterns, deps, parts, (event) => acceptErasure(deps.db, event))
}

/** Hands each report of a service to `handle`. */
export function consumeErasureReports(
  service: string,
  deps: ErasureConsumerDeps,
  parts: ErasureConsumerParts,
  handle: (event: EventMessage) => Promise<void>,
): Consumer<EventMessage> {
  return consumeErasures(service, erasureReportPatterns, deps, parts, handle)
}

/** Throws invalid_request for another payload. */
export async function acceptErasure<Tx extends SqlTx>(
  db: Transactions<Tx>,
  { tenant_id: tenantId, trace_id: traceId, payload }: Pick<EventMessage, 'tenant_id' | 'trace_id' | 'payload'>,
): Promise<void> {
  const parsed = erasureRequest.safeParse(payload)
  // The cause has no value of the payload: the address is in no log.
  if (!parsed.success) throw new Problem(commonProblems.invalid_request, { detail: 'The request has another payload' })
  const { erasure_id: id, recipient, requested_at } = parsed.data
  const erasure = { id, tenantId, traceId, address: addressOf(recipient), requestedAt: new Date(requested_at) }
  await db.inTenant(tenantId, (tx) => storeErasure(tx, erasure))
}

function consumeErasures(
  service: string,
  patterns: readonly string[],
  { log, metrics }: ErasureConsumerDeps,
  { broker, config }: ErasureConsumerParts,
  handle: (event: EventMessage) => Promise<void>,
): Consumer<EventMessage> {
  const { prefix, consuming, publisher } = broker
  const own = ownExchange(prefix, service)
  const queue = named(prefix, payerErasureQueue(service))
  const quarantine = { exchange: own, queue: named(prefix, `${service}.quarantine`) }
  return consume({
    connection: consuming,
    publisher,
    queue,
    quarantine,
    topology: [
      ...reachedThrough(own, [
        quorumQueue(quarantine.queue, { deliveryLimit: null }),
        quorumQueue(queue, { deliveryLimit, deadLetterTo: quarantine }),
      ]),
      ...patterns.map((pattern) => binding(queue, domainEvents(prefix), pattern)),
    ],
    prefetch,
    stopTimeoutMs,
    read: eventReader(service, eventTrustOf(config), metrics.registry),
    handle,
    log,
    metrics: metrics.registry,
  })
}

import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'
import { erasureReportPatterns, erasureRequestPatterns } from '@payments/contracts/edges/event-patterns'
import type { ConsumingService } from '@payments/contracts/endpoints/quarantine'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { addressOf, erasureRequest } from '@payments/contracts/nouns/payer-erasure'
import type { Consumer } from '@payments/messaging/consume/consume'
import {
  consumeEvents,
  type EventConsumerDeps,
  type EventConsumerParts,
  type EventQueue,
  eventConsumerOptions,
} from '@payments/messaging/consume/consume-events'
import { storeErasure } from './erasure-row.ts'

const queueOf = (service: ConsumingService, patterns: readonly string[]): EventQueue => ({
  service,
  name: `${service}.payer-erasures`,
  patterns,
})

/** The queue of the requests to erase payers. */
export const erasureRequestQueue = (service: ConsumingService): EventQueue => queueOf(service, erasureRequestPatterns)

/** The queue of the reports of services about erasures. */
export const erasureReportQueue = (service: ConsumingService): EventQueue => queueOf(service, erasureReportPatterns)

/** Stores each request to erase a payer as work of the service. */
export function consumeErasureRequests<Tx extends SqlTx>(
  service: ConsumingService,
  deps: EventConsumerDeps & { readonly db: Transactions<Tx> },
  parts: EventConsumerParts,
): Consumer<EventMessage> {
  const options = eventConsumerOptions(deps, parts)
  return consumeEvents(erasureRequestQueue(service), options, (event) => acceptErasure(deps.db, event))
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

import type { AuditRecord, Delivery, Event, Transaction } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { api, type OperationName } from '../../session/api.ts'
import { usePermitted } from '../../session/self.ts'

/** The latest requests and events of a transaction that the time line reads more about. */
const tracesMax = 8
const eventsMax = 20
const perTraceMax = 20
const pollMs = 5_000
const settledMs = 60_000

export interface TimeLineSources {
  readonly events: readonly Event[]
  /** Events of other resources that the same requests caused, such as messages. */
  readonly caused: readonly Event[]
  readonly deliveries: readonly Delivery[]
  readonly records: readonly AuditRecord[]
  /** The first error of a read. */
  readonly error: Error | null
  /** Operations of reads that the roles of the person do not permit. */
  readonly denied: readonly OperationName[]
  /** Whether requests, events or deliveries beyond the maximum are missing. */
  readonly isCut: boolean
}

/** Reads what the requests of a transaction caused, again and again while the transaction changes. */
export function useTimeLine(transaction: Transaction): TimeLineSources {
  const permitted = {
    listTenantEvents: usePermitted('listTenantEvents'),
    listTenantDeliveries: usePermitted('listTenantDeliveries'),
    listRecords: usePermitted('listRecords'),
  }
  const { id } = transaction
  const isChanging =
    transaction.pending_operation !== null || Date.now() - Date.parse(transaction.updated_at) < settledMs
  const refetchInterval = isChanging ? pollMs : (false as const)

  const events = useQuery({
    queryKey: ['events', 'of resource', id],
    queryFn: ({ signal }) => api.listTenantEvents({ resource_id: id, limit: eventsMax }, { signal }).page(),
    enabled: permitted.listTenantEvents,
    refetchInterval,
  })
  const found = events.data?.data ?? []
  const traces = latest([
    ...transaction.operations.toReversed().flatMap(({ trace_id: traceId }) => traceId ?? []),
    ...found.map(({ source_trace_id: traceId }) => traceId),
  ])
  const eventIds = found.map(({ tenant_event_id: eventId }) => eventId)

  const caused = useQuery({
    queryKey: ['events', 'of traces', traces],
    queryFn: ({ signal }) =>
      all(traces, (trace_id) => api.listTenantEvents({ trace_id, limit: perTraceMax }, { signal }).page()),
    enabled: permitted.listTenantEvents && traces.length > 0,
    refetchInterval,
  })
  const deliveries = useQuery({
    queryKey: ['deliveries', 'of events', eventIds],
    queryFn: ({ signal }) =>
      all(eventIds, (tenant_event_id) =>
        api.listTenantDeliveries({ tenant_event_id, limit: perTraceMax }, { signal }).page(),
      ),
    enabled: permitted.listTenantDeliveries && eventIds.length > 0,
    refetchInterval,
  })
  const records = useQuery({
    queryKey: ['audit', 'of traces', traces],
    queryFn: ({ signal }) =>
      all(traces, (trace_id) => api.listRecords({ trace_id, limit: perTraceMax }, { signal }).page()),
    enabled: permitted.listRecords && traces.length > 0,
    refetchInterval,
  })
  return {
    events: found,
    caused: (caused.data?.items ?? []).filter(({ resource_id: resourceId }) => resourceId !== id),
    deliveries: deliveries.data?.items ?? [],
    records: records.data?.items ?? [],
    error: events.error ?? caused.error ?? deliveries.error ?? records.error,
    denied: (Object.keys(permitted) as (keyof typeof permitted)[]).filter((operation) => !permitted[operation]),
    isCut:
      events.data?.next_cursor != null ||
      transaction.operations.length > tracesMax ||
      [caused, deliveries, records].some(({ data }) => data?.isCut === true),
  }
}

/** The first distinct values, at most `tracesMax`. Lists of the API begin with the newest item. */
const latest = (traceIds: readonly string[]): string[] => [...new Set(traceIds)].slice(0, tracesMax)

async function all<Item>(
  keys: readonly string[],
  read: (key: string) => Promise<{ readonly data: readonly Item[]; readonly next_cursor?: string | null }>,
): Promise<{ readonly items: readonly Item[]; readonly isCut: boolean }> {
  const pages = await Promise.all(keys.map(read))
  return {
    items: pages.flatMap(({ data }) => data),
    isCut: pages.some(({ next_cursor: next }) => next != null),
  }
}

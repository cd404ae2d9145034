import type { Operation, Transaction } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { DeliveryLink, Destination, EventLink, TraceLink } from '../../parts/links.tsx'
import { DeliveryState, OperationState, Outcome } from '../../parts/states.tsx'
import { api, type ListName, listItems } from '../../session/api.ts'
import { useChanges } from '../../session/changes.ts'
import { useDenial, usePermitted } from '../../session/self.ts'
import { clock, foreign } from '../../text/format.ts'
import { Money, Notice, Section, Time } from '../../ui/content.tsx'
import styles from './transaction.module.css'

interface Entry {
  readonly id: string
  readonly kind: 'request' | 'operation' | 'event' | 'delivery' | 'message'
  readonly at: string
  readonly text: ReactNode
}

/** Requests, operations, events, deliveries and messages of a transaction, in one order, newest first. */
export function TimeLine({ transaction }: { transaction: Transaction }) {
  useChanges('events')
  const sources = useTimeLine(transaction)
  const entries = mergeEntries(transaction, sources)
  return (
    <Section title="Time line">
      {sources.error === null ? null : <Notice tone="warning">A part of the time line could not be read.</Notice>}
      <ol className={styles.line}>
        {entries.map(({ id, kind, at, text }) => (
          <li key={`${kind} ${id}`} data-kind={kind}>
            <small>{kind}</small>
            <span className="row">{text}</span>
            <small>
              {clock(new Date(at))}, <Time at={at} />
            </small>
          </li>
        ))}
      </ol>
      {sources.denied.length === 0 ? null : (
        <small>Your roles do not permit {sources.denied.join(', ')}, so the time line is shorter.</small>
      )}
      {sources.isCut ? <small>The time line is long: a part of it is left out.</small> : null}
    </Section>
  )
}

function mergeEntries(transaction: Transaction, sources: ReturnType<typeof useTimeLine>): Entry[] {
  const operations = transaction.operations.map((operation) => ({
    id: operation.id,
    kind: 'operation' as const,
    at: operation.created_at,
    text: <OperationEntry operation={operation} transaction={transaction} />,
  }))
  const records = sources.records.map((record) => ({
    id: record.id,
    kind: 'request' as const,
    at: record.occurred_at,
    text: (
      <>
        <TraceLink id={record.trace_id}>{foreign(record.operation ?? record.method ?? 'request')}</TraceLink>
        <Outcome record={record} />
        <small>{record.actor.type.replaceAll('_', ' ')}</small>
      </>
    ),
  }))
  const events = [...sources.events, ...sources.caused].map((event) => ({
    id: event.tenant_event_id,
    kind: event.event_type.startsWith('communication.') ? ('message' as const) : ('event' as const),
    at: event.occurred_at,
    text: (
      <EventLink id={event.tenant_event_id} unitId={event.business_unit_id}>
        {foreign(event.event_type)}
      </EventLink>
    ),
  }))
  const deliveries = sources.deliveries.map((delivery) => ({
    id: delivery.id,
    kind: 'delivery' as const,
    at: delivery.created_at,
    text: (
      <>
        <DeliveryLink unitId={delivery.business_unit_id} id={delivery.id}>
          {foreign(delivery.event_type)}
        </DeliveryLink>
        <DeliveryState status={delivery.status} />
        <small>
          <Destination delivery={delivery} />
        </small>
      </>
    ),
  }))
  return [...deliveries, ...events, ...operations, ...records].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
}

function OperationEntry({ operation, transaction }: { operation: Operation; transaction: Transaction }) {
  return (
    <>
      <Link
        to="/transactions/$transaction_id"
        params={{ transaction_id: transaction.id }}
        hash={`operation-${operation.id}`}
      >
        {operation.type}
      </Link>
      <Money amount={operation.amount} currency={transaction.currency} />
      <OperationState status={operation.state} />
    </>
  )
}

/** The latest requests and events of a transaction that the time line reads more about. */
const tracesMax = 8
const eventsMax = 20
const perTraceMax = 20
const readOperations = ['listTenantEvents', 'listTenantDeliveries', 'listRecords'] as const
const pollMs = 5_000
const settledMs = 60_000

/** Reads what the requests of a transaction caused, again and again while the transaction changes. */
function useTimeLine(transaction: Transaction) {
  const findDenial = useDenial()
  const { id } = transaction
  const isChanging =
    transaction.pending_operation !== null || Date.now() - Date.parse(transaction.updated_at) < settledMs
  const refetchInterval = isChanging ? pollMs : (false as const)

  const events = useQuery({
    queryKey: ['events', 'of resource', id],
    queryFn: ({ signal }) => api.listTenantEvents({ resource_id: id, limit: eventsMax }, { signal }).page(),
    enabled: findDenial('listTenantEvents') === undefined,
    refetchInterval,
  })
  const found = events.data?.data ?? []
  const traces = latest([
    ...transaction.operations.toReversed().flatMap(({ trace_id: traceId }) => traceId ?? []),
    ...found.map(({ source_trace_id: traceId }) => traceId),
  ])
  const eventIds = found.map(({ tenant_event_id: eventId }) => eventId)

  const caused = useRelated('events', 'listTenantEvents', 'trace_id', traces, refetchInterval)
  const deliveries = useRelated('deliveries', 'listTenantDeliveries', 'tenant_event_id', eventIds, refetchInterval)
  const records = useRelated('audit', 'listRecords', 'trace_id', traces, refetchInterval)
  return {
    events: found,
    /** Events of other resources that the same requests caused, such as messages. */
    caused: (caused.data?.items ?? []).filter(({ resource_id: resourceId }) => resourceId !== id),
    deliveries: deliveries.data?.items ?? [],
    records: records.data?.items ?? [],
    /** The first error of a read. */
    error: events.error ?? caused.error ?? deliveries.error ?? records.error,
    /** Operations of reads that the roles of the person do not permit. */
    denied: readOperations.filter((operation) => findDenial(operation) !== undefined),
    /** Whether requests, events or deliveries beyond the maximum are missing. */
    isCut:
      events.data?.next_cursor != null ||
      transaction.operations.length > tracesMax ||
      [caused, deliveries, records].some(({ data }) => data?.isCut === true),
  }
}

/** The first distinct values, at most `tracesMax`. Lists of the API begin with the newest item. */
const latest = (traceIds: readonly string[]): string[] => [...new Set(traceIds)].slice(0, tracesMax)

/** The items of a list that a filter selects with each of the values. */
function useRelated<Name extends ListName>(
  topic: string,
  operation: Name,
  filter: string,
  values: readonly string[],
  refetchInterval: number | false,
) {
  return useQuery({
    queryKey: [topic, operation, filter, values],
    queryFn: async ({ signal }) => {
      const read = (value: string) => listItems(operation, { [filter]: value, limit: perTraceMax }, signal).page()
      const pages = await Promise.all(values.map(read))
      return {
        items: pages.flatMap(({ data }) => data),
        isCut: pages.some(({ next_cursor: next }) => next != null),
      }
    },
    enabled: usePermitted(operation) && values.length > 0,
    refetchInterval,
  })
}

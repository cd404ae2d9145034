import type { Operation, Transaction } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { DeliveryLink, Destination, EventLink, TraceLink } from '../../parts/links.tsx'
import { DeliveryState, OperationState, Outcome } from '../../parts/states.tsx'
import { useChanges } from '../../session/changes.ts'
import { clock, foreign } from '../../text/format.ts'
import { Money, Notice, Section, Time } from '../../ui/content.tsx'
import { type TimeLineSources, useTimeLine } from './time-line-query.ts'
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

function mergeEntries(transaction: Transaction, sources: TimeLineSources): Entry[] {
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
          <Destination
            url={delivery.destination_url}
            unitId={delivery.business_unit_id}
            subscriptionId={delivery.subscription_id}
          />
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
      <OperationState state={operation.state} />
    </>
  )
}

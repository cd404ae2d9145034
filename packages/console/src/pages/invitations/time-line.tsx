import type { Code, Event } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { MessageLink, TraceLink } from '../../parts/links.tsx'
import { formatError } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { useChanges } from '../../session/changes.ts'
import { queryClient } from '../../session/query-client.ts'
import { usePermitted } from '../../session/self.ts'
import { foreign } from '../../text/format.ts'
import { Notice, Time } from '../../ui/content.tsx'
import { codeEntries, type Entry, eventEntries, messageEntry, type ReadEvent, readVersion } from './history.ts'
import styles from './time-line.module.css'

const eventsMax = 20

/** The next steps of an invitation; then its events and its latest message, newest first. */
export function TimeLine({ code }: { code: Code }) {
  const { entries, error } = useEvents(code)
  const message = useLatestMessage(code)
  const all = message === undefined ? entries : [...entries, message]
  const newestFirst = all.toSorted((a, b) => a.at.localeCompare(b.at)).reverse()
  const isActive = code.status === 'active'
  return (
    <>
      {error === null ? null : <Notice tone="warning">{formatError(error)}</Notice>}
      <ol className={styles.line}>
        {isActive ? <Moment at={code.expires_at} title="The link expires" isAhead /> : null}
        {isActive && code.reminder_at !== null && Date.parse(code.reminder_at) > Date.now() ? (
          <Moment at={code.reminder_at} title="Reminder" isAhead />
        ) : null}
        {newestFirst.map((entry) => (
          <EntryMoment key={entry.id} entry={entry} />
        ))}
      </ol>
    </>
  )
}

/**
 * Each version of a code has an event, which appears a moment later: until then, the list is read again.
 */
function useEvents(code: Code): { entries: readonly Entry[]; error: Error | null } {
  const { data, error, refetch } = useQuery({
    queryKey: ['events', code.id],
    queryFn: async ({ signal }) => {
      const page = await api.listTenantEvents({ resource_id: code.id, limit: eventsMax }, { signal }).page()
      return Promise.all(page.data.map((event) => withPayload(event, code.business_unit_id)))
    },
    enabled: usePermitted('listTenantEvents'),
  })
  useChanges('events')
  const isBehind = data !== undefined && Math.max(0, ...data.map(readVersion)) < code.version
  useEffect(() => {
    if (!isBehind || Date.now() - Date.parse(code.updated_at) > eventDelayMsMax) return
    const timer = setInterval(() => void refetch(), readAgainMs)
    return () => clearInterval(timer)
  }, [isBehind, code.updated_at, refetch])
  return { entries: data === undefined || data.length === 0 ? codeEntries(code) : eventEntries(data), error }
}

/** An event does not change, so its payload is read once. */
async function withPayload(event: Event, unitId: string): Promise<ReadEvent> {
  const id = event.tenant_event_id
  const { payload } = await queryClient.fetchQuery({
    queryKey: ['event-payloads', id],
    queryFn: ({ signal }) => api.explainEvent({ business_unit_id: unitId, tenant_event_id: id }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return payload === null ? event : { ...event, payload }
}

const eventDelayMsMax = 60_000
const readAgainMs = 2_000

function useLatestMessage({ communication_id: id, version }: Code): Entry | undefined {
  const { data } = useQuery({
    queryKey: ['communications', id, version],
    queryFn: ({ signal }) => api.readCommunication({ communication_id: String(id) }, { signal }),
    enabled: usePermitted('readCommunication') && id !== null,
    refetchInterval: ({ state }) => (state.data?.status === 'queued' ? queuedPollMs : false),
  })
  return data === undefined ? undefined : messageEntry(data)
}

const queuedPollMs = 5_000

function EntryMoment({ entry: { at, title, detail, traceId, communicationId } }: { entry: Entry }) {
  const maySeeRecords = usePermitted('listRecords')
  return (
    <Moment at={at} title={title}>
      {detail === null ? null : <span>{foreign(detail)}</span>}
      {traceId === null || !maySeeRecords ? null : <TraceLink id={traceId}>Request</TraceLink>}
      {communicationId === null ? null : <MessageLink id={communicationId}>Message</MessageLink>}
    </Moment>
  )
}

interface MomentProps {
  readonly at: string
  readonly title: string
  readonly isAhead?: boolean
  readonly children?: ReactNode
}

function Moment({ at, title, isAhead = false, children }: MomentProps) {
  return (
    <li data-ahead={isAhead ? '' : undefined}>
      <span className="row">
        <strong>{title}</strong>
        <small>
          <Time at={at} />
        </small>
      </span>
      {children === undefined ? null : <span className="row">{children}</span>}
    </li>
  )
}

import type { Code, Communication, Event } from '@payments/client/schemas'

/** The part of a code in its events that the time line shows. */
type Snapshot = Pick<Code, 'status' | 'version' | 'last_error' | 'recipient'>

export interface ReadEvent extends Pick<Event, 'tenant_event_id' | 'event_type' | 'occurred_at' | 'source_trace_id'> {
  readonly payload?: Readonly<Record<string, unknown>> | undefined
}

export interface Entry {
  readonly id: string
  readonly at: string
  readonly title: string
  readonly detail: string | null
  /** The request that caused it. */
  readonly traceId: string | null
  readonly communicationId: string | null
}

const statusTitles: Readonly<Record<Code['status'], string>> = {
  active: 'Changed',
  processing: 'Payment started',
  completed: 'Authorized',
  expired: 'Expired',
  canceled: 'Canceled',
}

const titles: Readonly<Record<string, string>> = {
  'invite-to-pay.codes.create': 'Created',
  'payment-proxy.i2p.resend': 'Sent again',
}

const readSnapshot = ({ payload }: ReadEvent): Snapshot | undefined => payload?.['code'] as Snapshot | undefined

/** The version of the code that an event shows; 0 before its payload is read. */
export const readVersion = (event: ReadEvent): number => readSnapshot(event)?.version ?? 0

/** The events of an invitation in words, oldest first. `events` may be in any order. */
export function eventEntries(events: readonly ReadEvent[]): Entry[] {
  const isRead = events.every((event) => readVersion(event) > 0)
  const oldestFirst = events.toSorted((a, b) =>
    isRead ? readVersion(a) - readVersion(b) : a.occurred_at.localeCompare(b.occurred_at),
  )
  return oldestFirst.map((event, index) => {
    const now = readSnapshot(event)
    const previous = oldestFirst[index - 1]
    const before = previous === undefined ? undefined : readSnapshot(previous)
    return {
      id: event.tenant_event_id,
      at: event.occurred_at,
      title: titles[event.event_type] ?? entryTitle(now, before),
      detail: entryDetail(now, before),
      traceId: event.source_trace_id,
      communicationId: null,
    }
  })
}

const isFailed = (now: Snapshot, before: Snapshot | undefined) =>
  before?.status === 'processing' && now.status === 'active'

const entryTitle = (now: Snapshot | undefined, before: Snapshot | undefined): string => {
  if (now === undefined) return statusTitles.active
  return isFailed(now, before) ? 'Payment not completed' : statusTitles[now.status]
}

function entryDetail(now: Snapshot | undefined, before: Snapshot | undefined): string | null {
  if (now === undefined) return null
  const { last_error: error, recipient } = now
  const isOther = error?.code !== before?.last_error?.code || error?.detail !== before?.last_error?.detail
  if (error !== null && (isOther || isFailed(now, before))) return `${error.detail} (${error.code})`
  return before !== undefined && recipient !== before.recipient ? `to ${recipient}` : null
}

/** Without events: what the invitation itself shows, oldest first. */
export function codeEntries({ created_at, updated_at, status, version, last_error }: Code): Entry[] {
  const without = { detail: null, traceId: null, communicationId: null }
  const created = { ...without, id: 'created', at: created_at, title: 'Created' }
  if (version === 1) return [created]
  const detail = last_error === null ? null : `${last_error.detail} (${last_error.code})`
  return [created, { ...without, id: 'changed', at: updated_at, title: statusTitles[status], detail }]
}

export function messageEntry({ id, status, sent_at, created_at, recipient, error }: Communication): Entry {
  return {
    id,
    at: sent_at ?? created_at,
    title: { queued: 'Message on its way', sent: 'Message sent', failed: 'Message failed' }[status],
    detail: error === null ? `to ${recipient}` : error.detail,
    traceId: null,
    communicationId: id,
  }
}

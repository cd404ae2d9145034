import type { DeadLetterWithAttempts } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Loaded } from '../../layout/loaded.tsx'
import { Page } from '../../layout/page.tsx'
import { api } from '../../session/api.ts'
import { useChanges } from '../../session/changes.ts'
import { usePermitted } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { counted } from '../../text/format.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { AttemptList } from '../deliveries/attempt-list.tsx'
import { causeOf } from '../deliveries/causes.ts'
import { ExactTime } from '../deliveries/exact-time.tsx'
import { SubscriptionLink } from '../names/subscription-names.tsx'
import { LetterActions } from './letter-actions.tsx'

/** One dead letter: its request, and each attempt with what the endpoint responded. */
export function LetterPage() {
  useChanges()
  const { letterId = '' } = useParams({ strict: false })
  const query = useQuery({
    queryKey: ['dead_letters', letterId],
    queryFn: ({ signal }) => api.readDeadLetter({ dead_letter_id: letterId }, { signal }),
    enabled: usePermitted('readDeadLetter'),
  })
  const { data } = query
  return (
    <Page
      title={data === undefined ? 'Dead letter' : foreign(data.event_type)}
      operation="readDeadLetter"
      args={{ dead_letter_id: letterId }}
      actions={data === undefined ? null : <LetterActions selection={{ ids: [data.id] }} isSingle />}
    >
      {() => <Loaded query={query}>{(data) => <Details letter={data} />}</Loaded>}
    </Page>
  )
}

function Details({ letter }: { letter: DeadLetterWithAttempts }) {
  const { id, business_unit_id: unitId } = letter
  return (
    <>
      <section className="card" aria-label="Details">
        <dl className="facts">
          <dt>Cause</dt>
          <dd className="row">
            <span className="badge" data-tone="bad">
              {causeOf(letter.error_kind, letter.status_code)}
            </span>
            {letter.status_code === null ? <span>{foreign(letter.last_error)}</span> : null}
          </dd>
          <dt>Endpoint</dt>
          <dd>
            <code>{foreign(letter.destination_url)}</code>
          </dd>
          <dt>Subscription</dt>
          <dd>
            <SubscriptionLink id={letter.subscription_id} unitId={unitId} />
          </dd>
          <dt>Died</dt>
          <dd>
            <ExactTime at={letter.dead_at} /> after {counted(letter.attempt_count, 'attempt')}
          </dd>
          <dt>Event</dt>
          <dd className="row">
            <ExactTime at={letter.occurred_at} />
            <CopyField label="the event id" value={letter.tenant_event_id} />
            <Link
              to="/events/$eventId"
              params={{ eventId: letter.tenant_event_id }}
              search={{ business_unit_id: unitId }}
            >
              Open
            </Link>
          </dd>
          <dt>Delivery</dt>
          <dd>
            <Link to="/deliveries/$unitId/$deliveryId" params={{ unitId, deliveryId: id }}>
              {id}
            </Link>
          </dd>
        </dl>
      </section>
      <AttemptList {...letter} />
    </>
  )
}

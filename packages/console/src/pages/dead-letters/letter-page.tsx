import type { DeadLetterWithAttempts } from '@payments/client/schemas'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { describeCause } from '../../parts/causes.ts'
import { DeliveryLink, EventLink } from '../../parts/links.tsx'
import { AttemptList } from '../../parts/webhooks/attempt-list.tsx'
import { SubscriptionLink } from '../../parts/webhooks/names.tsx'
import { foreign, formatQuantity } from '../../text/format.ts'
import { Badge, CopyField, Details, ExactTime } from '../../ui/content.tsx'
import { LetterActions } from './letter-actions.tsx'

/** One dead letter: its request, and each attempt with what the endpoint responded. */
export function LetterPage() {
  return (
    <ResourcePage
      noun="Dead letter"
      topic="dead_letters"
      operation="readDeadLetter"
      title={({ event_type }) => foreign(event_type)}
      actions={({ id }) => <LetterActions selection={{ ids: [id] }} isSingle />}
    >
      {(letter) => (
        <>
          <LetterDetails letter={letter} />
          <AttemptList {...letter} />
        </>
      )}
    </ResourcePage>
  )
}

function LetterDetails({ letter }: { letter: DeadLetterWithAttempts }) {
  const { id, business_unit_id: unitId } = letter
  return (
    <Details
      facts={{
        Cause: (
          <span className="row">
            <Badge tone="bad">{describeCause(letter.error_kind, letter.status_code)}</Badge>
            {letter.status_code === null ? <span>{foreign(letter.last_error)}</span> : null}
          </span>
        ),
        Endpoint: <code>{foreign(letter.destination_url)}</code>,
        Subscription: <SubscriptionLink id={letter.subscription_id} unitId={unitId} />,
        Died: (
          <>
            <ExactTime at={letter.dead_at} /> after {formatQuantity(letter.attempt_count, 'attempt')}
          </>
        ),
        Event: (
          <span className="row">
            <ExactTime at={letter.occurred_at} />
            <CopyField label="the event id" value={letter.tenant_event_id} />
            <EventLink id={letter.tenant_event_id} unitId={unitId}>
              Open
            </EventLink>
          </span>
        ),
        Delivery: (
          <DeliveryLink unitId={unitId} id={id}>
            {id}
          </DeliveryLink>
        ),
      }}
    />
  )
}

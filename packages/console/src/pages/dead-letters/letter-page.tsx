import type { DeadLetterWithAttempts } from '@payments/client/schemas'
import { Link, useParams } from '@tanstack/react-router'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { describeCause } from '../../parts/causes.ts'
import { AttemptList } from '../../parts/webhooks/attempt-list.tsx'
import { SubscriptionLink } from '../../parts/webhooks/subscription-names.tsx'
import { foreign } from '../../text/foreign.ts'
import { formatQuantity } from '../../text/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { Details } from '../../ui/facts.tsx'
import { ExactTime } from '../../ui/time.tsx'
import { LetterActions } from './letter-actions.tsx'

/** One dead letter: its request, and each attempt with what the endpoint responded. */
export function LetterPage() {
  const { letterId = '' } = useParams({ strict: false })
  return (
    <ResourcePage
      noun="Dead letter"
      topic="dead_letters"
      operation="readDeadLetter"
      args={{ dead_letter_id: letterId }}
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
            <Link
              to="/events/$eventId"
              params={{ eventId: letter.tenant_event_id }}
              search={{ business_unit_id: unitId }}
            >
              Open
            </Link>
          </span>
        ),
        Delivery: (
          <Link to="/deliveries/$unitId/$deliveryId" params={{ unitId, deliveryId: id }}>
            {id}
          </Link>
        ),
      }}
    />
  )
}

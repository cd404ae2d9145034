import type { DeliveryHold, DeliveryWithAttempts } from '@payments/client/schemas'
import { CallButton } from '../../layout/actions.tsx'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { EventLink, TaskLink, TraceLink } from '../../parts/links.tsx'
import { DeliveryState } from '../../parts/states.tsx'
import { AttemptList } from '../../parts/webhooks/attempt-list.tsx'
import { SubscriptionLink } from '../../parts/webhooks/names.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/format.ts'
import { CopyField, Details, ExactTime, Notice, Time } from '../../ui/content.tsx'

/** One delivery: its request, and each attempt with what the endpoint responded. */
export function DeliveryPage() {
  return (
    <ResourcePage
      noun="Delivery"
      topic="deliveries"
      operation="readDelivery"
      title={({ event_type }) => foreign(event_type)}
      actions={(delivery) => <Retry delivery={delivery} />}
    >
      {(delivery) => (
        <>
          <DeliveryDetails delivery={delivery} />
          {delivery.held === null ? null : <Hold hold={delivery.held} />}
          <AttemptList {...delivery} />
        </>
      )}
    </ResourcePage>
  )
}

function Retry({ delivery }: { delivery: DeliveryWithAttempts }) {
  const { id, business_unit_id, status } = delivery
  if (!['dead', 'retrying', 'delivered'].includes(status)) return null
  return (
    <CallButton
      operation="retryDelivery"
      kind="primary"
      call={({ idempotencyKey }) => api.retryDelivery({ business_unit_id, delivery_id: id }, { idempotencyKey })}
    >
      Send again
    </CallButton>
  )
}

function DeliveryDetails({ delivery }: { delivery: DeliveryWithAttempts }) {
  const { business_unit_id: unitId, next_attempt_at: nextAt, task_id: taskId, source_trace_id: traceId } = delivery
  return (
    <Details
      facts={{
        Status: (
          <span className="row">
            <DeliveryState status={delivery.status} />
            {nextAt === null ? null : (
              <span>
                next attempt <Time at={nextAt} />
              </span>
            )}
          </span>
        ),
        Endpoint: <code>{foreign(delivery.destination_url)}</code>,
        Subscription: <SubscriptionLink id={delivery.subscription_id} unitId={unitId} />,
        Created: <ExactTime at={delivery.created_at} />,
        'Event id': (
          <span className="row">
            <CopyField label="the event id" value={delivery.tenant_event_id} />
            <EventLink id={delivery.tenant_event_id} unitId={unitId}>
              Open
            </EventLink>
          </span>
        ),
        'Restarted by': taskId === null ? null : <TaskLink id={taskId}>a task</TaskLink>,
        'Caused by': traceId === null ? null : <TraceLink id={traceId}>the request {traceId}</TraceLink>,
      }}
    />
  )
}

const reasons: Readonly<Record<DeliveryHold['reason'], string>> = {
  subscription_disabled: 'The subscription is disabled.',
  circuit_open: 'The endpoint failed too often, so its deliveries are paused.',
  releasing: 'The endpoint is available again.',
}

/** Why a delivery is held, until when, and what to do. */
function Hold({ hold }: { hold: DeliveryHold }) {
  return (
    <Notice tone="warning">
      <p>
        {reasons[hold.reason]}
        {hold.until === null ? null : (
          <>
            {' '}
            The next delivery is tried <ExactTime at={hold.until} />.
          </>
        )}
      </p>
      <p>{foreign(hold.action)}</p>
    </Notice>
  )
}

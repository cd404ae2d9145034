import type { DeliveryWithAttempts } from '@payments/client/schemas'
import { Link, useParams } from '@tanstack/react-router'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { TaskLink, TraceLink } from '../../parts/links.tsx'
import { DeliveryState } from '../../parts/states.tsx'
import { AttemptList } from '../../parts/webhooks/attempt-list.tsx'
import { SubscriptionLink } from '../../parts/webhooks/subscription-names.tsx'
import { useAction } from '../../session/action.ts'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Details } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ExactTime, Time } from '../../ui/time.tsx'
import { Hold } from './hold.tsx'

/** One delivery: its request, and each attempt with what the endpoint responded. */
export function DeliveryPage() {
  const { unitId = '', deliveryId = '' } = useParams({ strict: false })
  return (
    <ResourcePage
      noun="Delivery"
      topic="deliveries"
      operation="readDelivery"
      args={{ business_unit_id: unitId, delivery_id: deliveryId }}
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
  const retry = useAction({
    call: (_input: undefined, { idempotencyKey }) =>
      api.retryDelivery({ business_unit_id: delivery.business_unit_id, delivery_id: delivery.id }, { idempotencyKey }),
  })
  if (!['dead', 'retrying', 'delivered'].includes(delivery.status)) return null
  return (
    <>
      {retry.failure === undefined ? null : <Notice tone="bad">{retry.failure}</Notice>}
      <ActionButton operation="retryDelivery" kind="primary" onClick={() => retry.run(undefined)}>
        Send again
      </ActionButton>
    </>
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
            <Link
              to="/events/$eventId"
              params={{ eventId: delivery.tenant_event_id }}
              search={{ business_unit_id: unitId }}
            >
              Open
            </Link>
          </span>
        ),
        'Restarted by': taskId === null ? null : <TaskLink id={taskId}>a task</TaskLink>,
        'Caused by': traceId === null ? null : <TraceLink id={traceId}>the request {traceId}</TraceLink>,
      }}
    />
  )
}

import type { DeliveryWithAttempts } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Loaded } from '../../layout/loaded.tsx'
import { Page } from '../../layout/page.tsx'
import { useAction } from '../../session/action.ts'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { useChanges } from '../../session/changes.ts'
import { usePermitted } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Time } from '../../ui/time.tsx'
import { SubscriptionLink } from '../names/subscription-names.tsx'
import { AttemptList } from './attempt-list.tsx'
import { DeliveryState } from './delivery-state.tsx'
import { ExactTime } from './exact-time.tsx'
import { Hold } from './hold.tsx'

/** One delivery: its request, and each attempt with what the endpoint responded. */
export function DeliveryPage() {
  useChanges()
  const { unitId = '', deliveryId = '' } = useParams({ strict: false })
  const args = { business_unit_id: unitId, delivery_id: deliveryId }
  const query = useQuery({
    queryKey: ['deliveries', unitId, deliveryId],
    queryFn: ({ signal }) => api.readDelivery(args, { signal }),
    enabled: usePermitted('readDelivery'),
  })
  const { data } = query
  return (
    <Page
      title={data === undefined ? 'Delivery' : foreign(data.event_type)}
      operation="readDelivery"
      args={args}
      actions={data === undefined ? null : <Retry delivery={data} />}
    >
      {() => <Loaded query={query}>{(data) => <Details delivery={data} />}</Loaded>}
    </Page>
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

function Details({ delivery }: { delivery: DeliveryWithAttempts }) {
  return (
    <>
      <section className="card" aria-label="Details">
        <dl className="facts">
          <dt>Status</dt>
          <dd className="row">
            <DeliveryState status={delivery.status} />
            {delivery.next_attempt_at === null ? null : (
              <span>
                next attempt <Time at={delivery.next_attempt_at} />
              </span>
            )}
          </dd>
          <dt>Endpoint</dt>
          <dd>
            <code>{foreign(delivery.destination_url)}</code>
          </dd>
          <dt>Subscription</dt>
          <dd>
            <SubscriptionLink id={delivery.subscription_id} unitId={delivery.business_unit_id} />
          </dd>
          <dt>Created</dt>
          <dd>
            <ExactTime at={delivery.created_at} />
          </dd>
          <dt>Event id</dt>
          <dd className="row">
            <CopyField label="the event id" value={delivery.tenant_event_id} />
            <Link
              to="/events/$eventId"
              params={{ eventId: delivery.tenant_event_id }}
              search={{ business_unit_id: delivery.business_unit_id }}
            >
              Open
            </Link>
          </dd>
          {delivery.task_id === null ? null : (
            <>
              <dt>Restarted by</dt>
              <dd>
                <Link to="/tasks/$taskId" params={{ taskId: delivery.task_id }}>
                  a task
                </Link>
              </dd>
            </>
          )}
          {delivery.source_trace_id === null ? null : (
            <>
              <dt>Caused by</dt>
              <dd>
                <Link to="/audit" search={{ trace_id: delivery.source_trace_id }}>
                  the request {delivery.source_trace_id}
                </Link>
              </dd>
            </>
          )}
        </dl>
      </section>
      {delivery.held === null ? null : <Hold hold={delivery.held} />}
      <AttemptList {...delivery} />
    </>
  )
}

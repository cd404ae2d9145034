import type { WebhookSubscription } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Loaded } from '../../layout/loaded.tsx'
import { Page } from '../../layout/page.tsx'
import { api } from '../../session/api.ts'
import { useChanges } from '../../session/changes.ts'
import { usePermitted } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Time } from '../../ui/time.tsx'
import { DeliveryList } from '../deliveries/delivery-list.tsx'
import { ExactTime } from '../deliveries/exact-time.tsx'
import { readable } from '../deliveries/reason.ts'
import { AuthInfoLink } from '../names/auth-info-names.tsx'
import { EventTypes } from './event-types.tsx'
import { Health } from './health.tsx'
import { healthQuery } from './health-query.ts'
import { RevealSecret } from './reveal-secret.tsx'
import { SubscriptionActions } from './subscription-actions.tsx'
import styles from './webhooks.module.css'

/** One subscription: its state, its secret, and its deliveries as they happen. */
export function SubscriptionPage() {
  useChanges()
  const { unitId = '', subscriptionId = '' } = useParams({ strict: false })
  const args = { business_unit_id: unitId, bu_webhook_id: subscriptionId }
  const query = useQuery({
    queryKey: ['subscriptions', unitId, subscriptionId],
    queryFn: ({ signal }) => api.readSubscription(args, { signal }),
    enabled: usePermitted('readSubscription'),
  })
  const { data } = query
  return (
    <Page
      title={data === undefined ? 'Subscription' : foreign(data.label ?? data.destination_url)}
      operation="readSubscription"
      args={args}
      actions={data === undefined ? null : <SubscriptionActions subscription={data} />}
    >
      {() => <Loaded query={query}>{(data) => <Details subscription={data} />}</Loaded>}
    </Page>
  )
}

function Details({ subscription }: { subscription: WebhookSubscription }) {
  const { id, business_unit_id: unitId } = subscription
  return (
    <>
      <section className="card" aria-label="Details">
        <dl className="facts">
          <HealthFacts subscription={subscription} />
          <dt>Endpoint</dt>
          <dd>
            <code>{foreign(subscription.destination_url)}</code>
          </dd>
          <dt>Events</dt>
          <dd>
            <EventTypes patterns={subscription.event_types} />
          </dd>
          <dt>Auth info</dt>
          <dd>
            <AuthInfoLink id={subscription.webhook_auth_info_id} />
          </dd>
          <dt>Signing secret</dt>
          <dd>
            <RevealSecret subscription={subscription} />{' '}
            <a href="/docs/webhooks#verify-the-signature">Verify a signature</a>
          </dd>
          <dt>Id</dt>
          <dd>
            <CopyField label="the id" value={id} />
          </dd>
        </dl>
      </section>
      <section className="stack" aria-labelledby="deliveries">
        <div className={`row ${styles.heading}`}>
          <h2 id="deliveries">Deliveries</h2>
          <Link to="/deliveries" search={{ subscription_id: id }}>
            Filter deliveries
          </Link>
          <Link to="/dead-letters/list" search={{ subscription_id: id }}>
            Dead letters
          </Link>
        </div>
        <DeliveryList filters={{ business_unit_id: unitId, subscription_id: id }} />
      </section>
    </>
  )
}

function HealthFacts({ subscription }: { subscription: WebhookSubscription }) {
  const { data, error } = useQuery(healthQuery(subscription))
  if (data === undefined) return error === null ? null : <dt className="muted">The state could not be read.</dt>
  return (
    <>
      <dt>State</dt>
      <dd className="row">
        <Health health={data} />
        <span>{readable(data.reason)}</span>
      </dd>
      {data.breaker.probe_at === null ? null : (
        <>
          <dt>Next probe</dt>
          <dd>
            <ExactTime at={data.breaker.probe_at} />
          </dd>
        </>
      )}
      <dt>Waiting</dt>
      <dd>
        {data.waiting} scheduled, {data.held} held{data.counts_capped ? ', or more' : ''}
      </dd>
      <dt>Last success</dt>
      <dd>
        <Time at={data.last_delivered_at} />
      </dd>
      <dt>Last failure</dt>
      <dd>
        <Time at={data.last_failed_at} />
      </dd>
      {data.previous_secret_expires_at === null ? null : (
        <>
          <dt>Previous secret</dt>
          <dd>
            signs too, and ends <Time at={data.previous_secret_expires_at} />
          </dd>
        </>
      )}
    </>
  )
}

import type { WebhookSubscription } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { Reveal } from '../../layout/actions.tsx'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { Health } from '../../parts/states.tsx'
import { DeliveryList } from '../../parts/webhooks/delivery-list.tsx'
import { AuthInfoName, EventTypes } from '../../parts/webhooks/names.tsx'
import { api } from '../../session/api.ts'
import { foreign, readable } from '../../text/format.ts'
import { CopyField, Details, ExactTime, type FactList, Time } from '../../ui/content.tsx'
import { SubscriptionActions, useHealth } from './subscription-actions.tsx'
import styles from './webhooks.module.css'

/** One subscription: its state, its secret, and its deliveries as they happen. */
export function SubscriptionPage() {
  return (
    <ResourcePage
      noun="Subscription"
      topic="subscriptions"
      operation="readSubscription"
      title={({ label, destination_url }) => foreign(label ?? destination_url)}
      actions={(subscription) => <SubscriptionActions subscription={subscription} />}
    >
      {(subscription) => (
        <>
          <SubscriptionDetails subscription={subscription} />
          <section className="stack" aria-labelledby="deliveries">
            <div className={`row ${styles.heading}`}>
              <h2 id="deliveries">Deliveries</h2>
              <Link to="/deliveries" search={{ subscription_id: subscription.id }}>
                Filter deliveries
              </Link>
              <Link to="/dead-letters/list" search={{ subscription_id: subscription.id }}>
                Dead letters
              </Link>
            </div>
            <DeliveryList
              filters={{ business_unit_id: subscription.business_unit_id, subscription_id: subscription.id }}
            />
          </section>
        </>
      )}
    </ResourcePage>
  )
}

function SubscriptionDetails({ subscription }: { subscription: WebhookSubscription }) {
  const { id, business_unit_id, secret } = subscription
  return (
    <Details
      facts={{
        ...useHealthFacts(subscription),
        Endpoint: <code>{foreign(subscription.destination_url)}</code>,
        Events: <EventTypes patterns={subscription.event_types} />,
        'Auth info': <AuthInfoName id={subscription.webhook_auth_info_id} />,
        'Signing secret': (
          <>
            <Reveal
              operation="revealSubscription"
              read={async () => (await api.revealSubscription({ business_unit_id, bu_webhook_id: id })).secret}
              label="the signing secret"
            >
              <code>{foreign(secret)}</code>
            </Reveal>{' '}
            <a href="/docs/webhooks#verify-the-signature">Verify a signature</a>
          </>
        ),
        Id: <CopyField label="the id" value={id} />,
      }}
    />
  )
}

function useHealthFacts(subscription: WebhookSubscription): FactList {
  const { data, error } = useHealth(subscription)
  if (data === undefined) {
    return error === null ? {} : { State: <span className="muted">The state could not be read.</span> }
  }
  const { breaker, previous_secret_expires_at: previousEndsAt } = data
  return {
    State: (
      <span className="row">
        <Health health={data} />
        <span>{readable(data.reason)}</span>
      </span>
    ),
    'Next probe': breaker.probe_at === null ? null : <ExactTime at={breaker.probe_at} />,
    Waiting: `${data.waiting} scheduled, ${data.held} held${data.counts_capped ? ', or more' : ''}`,
    'Last success': <Time at={data.last_delivered_at} />,
    'Last failure': <Time at={data.last_failed_at} />,
    'Previous secret':
      previousEndsAt === null ? null : (
        <>
          signs too, and ends <Time at={previousEndsAt} />
        </>
      ),
  }
}

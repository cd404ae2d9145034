import type { ListedWebhookSubscription } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { Card } from '../../layout/card.tsx'
import { SubscriptionPageLink } from '../../parts/links.tsx'
import { Health } from '../../parts/states.tsx'
import { api } from '../../session/api.ts'
import { itemsMax, readItems } from '../../session/reads.ts'
import { foreign, formatCount, formatQuantity } from '../../text/format.ts'

const pageMax = 200
const shownMax = 5
const refetchMs = 60_000

/** Subscriptions whose deliveries do not arrive: paused by their breaker, failing, disabled, or with a backlog. */
export function SubscriptionsCard() {
  return (
    <Card
      title="Subscriptions to watch"
      operation="listTenantSubscriptions"
      queryKey={['subscriptions', 'to-watch']}
      read={readTroubled}
      refetchMs={refetchMs}
    >
      {({ troubled, total }) => (
        <>
          {troubled.length === 0 ? (
            <p className="muted">
              {total === 0 ? 'There is no subscription yet.' : 'Deliveries reach every subscription.'}
            </p>
          ) : (
            <ul className="stack">
              {troubled.slice(0, shownMax).map((subscription) => (
                <Troubled key={subscription.id} subscription={subscription} />
              ))}
            </ul>
          )}
          {total < itemsMax ? null : <small>Of the newest {formatCount(itemsMax)} subscriptions.</small>}
          <p>
            <Link to="/subscriptions">All subscriptions</Link>
          </p>
        </>
      )}
    </Card>
  )
}

function Troubled({ subscription }: { subscription: ListedWebhookSubscription }) {
  const { id, business_unit_id, label, destination_url, health } = subscription
  return (
    <li className="row">
      {health === undefined ? null : <Health health={health} />}
      <SubscriptionPageLink unitId={business_unit_id} id={id}>
        {foreign(label ?? destination_url)}
      </SubscriptionPageLink>
      <small>{formatQuantity(countBacklog(subscription), 'delivery waits', 'deliveries wait')}</small>
    </li>
  )
}

async function readTroubled(signal: AbortSignal) {
  const all = await readItems(api.listTenantSubscriptions({ include: 'health', limit: pageMax }, { signal }))
  const troubled = all.filter((each) => rateSeverity(each) > 0)
  return {
    troubled: troubled.sort((a, b) => rateSeverity(b) - rateSeverity(a) || countBacklog(b) - countBacklog(a)),
    total: all.length,
  }
}

const severities: Readonly<Record<string, number>> = { paused: 4, failing: 3, disabled: 2 }

const countBacklog = ({ health }: ListedWebhookSubscription) =>
  health === undefined ? 0 : health.held + health.waiting

const rateSeverity = (subscription: ListedWebhookSubscription) =>
  severities[subscription.health?.state ?? ''] ?? (countBacklog(subscription) > 0 ? 1 : 0)

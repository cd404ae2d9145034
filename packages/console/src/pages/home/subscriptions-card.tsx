import type { ListedWebhookSubscription } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { Card } from '../../layout/card.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { counted } from '../../text/format.ts'
import { Health } from '../webhooks/health.tsx'

/** Bounds the requests of the page. */
const unitsMax = 8
const subscriptionsMax = 100
const shownMax = 5
const refetchMs = 60_000

/** Subscriptions whose deliveries do not arrive: paused by their breaker, failing, disabled, or with a backlog. */
export function SubscriptionsCard() {
  return (
    <Card
      title="Subscriptions to watch"
      operations={['listBusinessUnits', 'listSubscriptions']}
      queryKey={['subscriptions', 'to-watch']}
      read={readTroubled}
      refetchMs={refetchMs}
    >
      {({ troubled, count, isCut }) => (
        <>
          {troubled.length === 0 ? (
            <p className="muted">
              {count === 0 ? 'There is no subscription yet.' : 'Deliveries reach every subscription.'}
            </p>
          ) : (
            <ul className="stack">
              {troubled.slice(0, shownMax).map((subscription) => (
                <Troubled key={subscription.id} subscription={subscription} />
              ))}
            </ul>
          )}
          {isCut ? <small>Of the first {unitsMax} business units.</small> : null}
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
      <Link to="/subscriptions/$unitId/$subscriptionId" params={{ unitId: business_unit_id, subscriptionId: id }}>
        {foreign(label ?? destination_url)}
      </Link>
      <small>{counted(backlogOf(subscription), 'delivery waits', 'deliveries wait')}</small>
    </li>
  )
}

async function readTroubled(signal: AbortSignal) {
  const units = await api.listBusinessUnits({ status: 'active', limit: unitsMax }, { signal }).page()
  const pages = await Promise.all(
    units.data.map(({ id }) =>
      api.listSubscriptions({ business_unit_id: id, include: 'health', limit: subscriptionsMax }, { signal }).page(),
    ),
  )
  const all = pages.flatMap(({ data }) => data)
  const troubled = all.filter((each) => severityOf(each) > 0)
  return {
    troubled: troubled.sort((a, b) => severityOf(b) - severityOf(a) || backlogOf(b) - backlogOf(a)),
    count: all.length,
    isCut: units.next_cursor !== null,
  }
}

const severities: Readonly<Record<string, number>> = { paused: 4, failing: 3, disabled: 2 }

const backlogOf = ({ health }: ListedWebhookSubscription) => (health === undefined ? 0 : health.held + health.waiting)

const severityOf = (subscription: ListedWebhookSubscription) =>
  severities[subscription.health?.state ?? ''] ?? (backlogOf(subscription) > 0 ? 1 : 0)

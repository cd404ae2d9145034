import type { ApiKey, ListedWebhookSubscription, Transaction } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Card } from '../../layout/card.tsx'
import { describeCause, type LetterGroup, toSearch } from '../../parts/causes.ts'
import { KeyLink, SubscriptionPageLink, TransactionLink } from '../../parts/links.tsx'
import { Health } from '../../parts/states.tsx'
import { api } from '../../session/api.ts'
import { itemsMax, readItems } from '../../session/reads.ts'
import { foreign, formatCount, formatQuantity } from '../../text/format.ts'
import { Badge, Time } from '../../ui/content.tsx'

const shownMax = 5
const pageMax = 200

interface RowsProps {
  /** The text without a row. */
  readonly none: string
  readonly rows: readonly ReactNode[]
  /** Below the rows. */
  readonly children?: ReactNode
}

function Rows({ none, rows, children }: RowsProps) {
  if (rows.length === 0) return <p className="muted">{none}</p>
  return (
    <>
      <ul className="stack">{rows}</ul>
      {children}
    </>
  )
}

/** Deliveries that failed to the end of their schedule, by cause, the largest cause first. */
export function DeadLettersCard() {
  return (
    <Card
      title="Dead letters by cause"
      operation="listDeadLetters"
      queryKey={['dead_letters', 'by-cause']}
      read={async (signal) => {
        const page = await api.listDeadLetters({ group_by: 'cause', limit: shownMax }, { signal }).page()
        return page.data as readonly LetterGroup[]
      }}
    >
      {(groups) => (
        <Rows
          none="No delivery failed to the end of its schedule."
          rows={groups.map(({ key, count, newest_at, filter }) => (
            <li key={key} className="row">
              {filter === null ? (
                describeCause(null, undefined)
              ) : (
                <Link to="/dead-letters/list" search={toSearch(filter)}>
                  {describeCause(filter.error_kind ?? null, filter.status_code)}
                </Link>
              )}
              <small>
                {formatQuantity(count, 'delivery', 'deliveries')}, latest <Time at={newest_at} />
              </small>
            </li>
          ))}
        >
          <p>
            <Link to="/dead-letters">All dead letters</Link>
          </p>
        </Rows>
      )}
    </Card>
  )
}

/** Those that need a person first. */
const states = ['needs_review', 'unknown', 'pending', 'action_required', 'in_progress'] as const

/** The newest transactions with an operation without an outcome, and a link to the list of each state. */
export function OpenOperationsCard() {
  return (
    <Card
      title="Payments without an outcome"
      operation="listTransactions"
      queryKey={['transactions', 'open']}
      read={async (signal) => {
        const open: Transaction[] = []
        // One after the other: a browser has six connections, which the other cards need too.
        for (const pending_state of states) {
          open.push(...(await api.listTransactions({ pending_state, limit: shownMax }, { signal }).page()).data)
        }
        return open
      }}
      refetchMs={30_000}
    >
      {(open) => (
        <Rows
          none="The outcome of each operation is known."
          rows={open.slice(0, shownMax).map(({ id, external_reference, pending_operation, created_at }) => (
            <li key={id} className="row">
              <Badge tone="warning">
                {pending_operation?.type} {pending_operation?.state.replaceAll('_', ' ')}
              </Badge>
              <TransactionLink id={id}>{foreign(external_reference ?? id)}</TransactionLink>
              <small>
                <Time at={created_at} />
              </small>
            </li>
          ))}
        >
          <p className="row">
            {states
              .filter((state) => open.some(({ pending_operation: pending }) => pending?.state === state))
              .map((state) => (
                <Link key={state} to="/transactions" search={{ pending_state: state }}>
                  All {state.replaceAll('_', ' ')}
                </Link>
              ))}
          </p>
        </Rows>
      )}
    </Card>
  )
}

const days = 86_400_000
const soonMs = 14 * days
const unusedMs = 90 * days

/** Valid keys that expire in the next two weeks, the next one first, and keys that were not used for three months. */
export function KeysToWatch() {
  return (
    <Card title="API keys to watch" operation="listKeys" queryKey={['keys', 'to-watch']} read={readKeys}>
      {({ expiring, unused, more }) => (
        <Rows
          none="No key expires in the next 14 days, and no key has been unused for 90 days."
          rows={[
            ...expiring.map(({ id, name, expires_at }) => (
              <li key={`e${id}`} className="row">
                <Badge tone="warning">
                  expires <Time at={expires_at} />
                </Badge>
                <KeyLink id={id}>{foreign(name)}</KeyLink>
              </li>
            )),
            ...unused.map(({ id, name }) => (
              <li key={`u${id}`} className="row">
                <Badge>not used for 90 days</Badge>
                <KeyLink id={id}>{foreign(name)}</KeyLink>
              </li>
            )),
          ]}
        >
          <p>
            {more === 0 ? null : <small>{formatQuantity(more, 'more key')}. </small>}
            <Link to="/keys">All API keys</Link>
          </p>
        </Rows>
      )}
    </Card>
  )
}

async function readKeys(signal: AbortSignal) {
  const now = Date.now()
  const expiryMs = ({ expires_at }: ApiKey) => (expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at))
  const list = async (args: Parameters<typeof api.listKeys>[0]) => {
    const keys = await readItems(api.listKeys({ ...args, enabled: 'true', limit: pageMax }, { signal }))
    return keys.filter((key) => expiryMs(key) > now)
  }
  const [expiring, unused] = await Promise.all([
    list({ expires_before: new Date(now + soonMs).toISOString() }),
    list({ unused_since: new Date(now - unusedMs).toISOString() }),
  ])
  expiring.sort((a, b) => expiryMs(a) - expiryMs(b))
  const shown = { expiring: expiring.slice(0, shownMax), unused: unused.slice(0, shownMax) }
  const more = expiring.length + unused.length - shown.expiring.length - shown.unused.length
  return { ...shown, more }
}

/** Subscriptions whose deliveries do not arrive: paused by their breaker, failing, disabled, or with a backlog. */
export function SubscriptionsCard() {
  return (
    <Card
      title="Subscriptions to watch"
      operation="listTenantSubscriptions"
      queryKey={['subscriptions', 'to-watch']}
      read={readTroubled}
      refetchMs={60_000}
    >
      {({ troubled, total }) => (
        <>
          <Rows
            none={total === 0 ? 'There is no subscription yet.' : 'Deliveries reach every subscription.'}
            rows={troubled
              .slice(0, shownMax)
              .map((subscription) => <Troubled key={subscription.id} subscription={subscription} />)}
          />
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

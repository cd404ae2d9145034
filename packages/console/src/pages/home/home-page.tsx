import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '../../layout/page.tsx'
import { type ListName, listItems } from '../../session/api.ts'
import { useChanges } from '../../session/changes.ts'
import { usePermitted, useSelf } from '../../session/self.ts'
import { foreign } from '../../text/format.ts'
import { CopyField, Notice } from '../../ui/content.tsx'
import styles from './home.module.css'
import { DeliveriesCard, PaymentsCard, RequestsCard } from './statistics-cards.tsx'
import { DeadLettersCard, KeysToWatch, OpenOperationsCard, SubscriptionsCard } from './watch-cards.tsx'

/** The start page: what happened in the last day, and what needs attention. Each card loads by itself. */
export function HomePage() {
  useChanges('deliveries')
  const { tenant } = useSelf()
  return (
    <Page title={foreign(tenant.name)} about="The last 24 hours, and what needs attention.">
      {() => (
        <>
          <div className={styles.home}>
            <NextSteps />
            <PaymentsCard />
            <OpenOperationsCard />
            <SubscriptionsCard />
            <DeadLettersCard />
            <KeysToWatch />
            <RequestsCard />
            <DeliveriesCard />
          </div>
          <div className={styles.nothing}>
            <NothingPermitted />
          </div>
        </>
      )}
    </Page>
  )
}

/** In place of the cards, for a person who may read none of them. */
function NothingPermitted() {
  const { permissions } = useSelf()
  return permissions.length === 0 ? (
    <Notice tone="warning" title="Your roles permit nothing yet.">
      An administrator of your tenant can give you a role.
    </Notice>
  ) : (
    <Notice tone="info" title="Your roles permit no part of this page.">
      The navigation has the pages that they permit. An administrator of your tenant can give you another role.
    </Notice>
  )
}

/** The way of a fresh tenant: key, test event, first payment. Without a step that is open, there is no card. */
function NextSteps() {
  const { tenant } = useSelf()
  const hasKey = useHasAny('listKeys')
  const hasDelivery = useHasAny('listTenantDeliveries')
  const hasPayment = useHasAny('listTransactions')
  if (![hasKey, hasDelivery, hasPayment].includes(false)) return null
  return (
    <section className="card stack" aria-labelledby="next-steps" data-wide>
      <h2 id="next-steps">Next steps</h2>
      <ol className={styles.steps}>
        <Step isDone={hasKey}>
          <Link to="/keys">Create an API key</Link>
          <small>and give it a role.</small>
        </Step>
        <Step isDone={hasDelivery}>
          <Link to="/subscriptions">Send a test event</Link>
          <small>to a subscription with the URL of your endpoint.</small>
        </Step>
        <Step isDone={hasPayment}>
          <a href="/docs">Take a first payment</a>
          <small>with your key and your tenant id, as the guides show.</small>
          <CopyField label="the tenant id" value={tenant.id} />
        </Step>
      </ol>
    </section>
  )
}

function Step({ isDone, children }: { isDone: boolean | undefined; children: ReactNode }) {
  if (isDone === undefined) return null
  return (
    <li data-done={isDone}>
      {isDone ? <span className="visually-hidden">Done: </span> : null}
      {children}
    </li>
  )
}

/** Whether a list has an item; undefined while that is not known, and where the person may not read the list. */
function useHasAny(operation: ListName): boolean | undefined {
  const { data } = useQuery({
    queryKey: ['next-steps', operation],
    queryFn: async ({ signal }) => (await listItems(operation, { limit: 1 }, signal).page()).data.length > 0,
    enabled: usePermitted(operation),
  })
  return data
}

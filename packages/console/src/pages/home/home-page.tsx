import { Page } from '../../layout/page.tsx'
import { useChanges } from '../../session/changes.ts'
import { useSelf } from '../../session/self.ts'
import { foreign } from '../../text/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { DeadLettersCard } from './dead-letters-card.tsx'
import styles from './home.module.css'
import { KeysToWatch } from './keys-to-watch.tsx'
import { NextSteps } from './next-steps.tsx'
import { OpenOperationsCard } from './open-operations-card.tsx'
import { DeliveriesCard, PaymentsCard, RequestsCard } from './statistics-cards.tsx'
import { SubscriptionsCard } from './subscriptions-card.tsx'

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

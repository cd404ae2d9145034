import type { DeliveryHold } from '@payments/client/schemas'
import { foreign } from '../../text/foreign.ts'
import { Notice } from '../../ui/notice.tsx'
import { ExactTime } from '../../ui/time.tsx'

const reasons: Readonly<Record<DeliveryHold['reason'], string>> = {
  subscription_disabled: 'The subscription is disabled.',
  circuit_open: 'The endpoint failed too often, so its deliveries are paused.',
  releasing: 'The endpoint is available again.',
}

/** Why a delivery is held, until when, and what to do. */
export function Hold({ hold }: { hold: DeliveryHold }) {
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

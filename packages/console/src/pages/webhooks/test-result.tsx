import type { DeliveryWithAttempts } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { describeCause } from '../../parts/causes.ts'
import { Body } from '../../parts/webhooks/http-text.tsx'
import { api } from '../../session/api.ts'
import { usePermitted } from '../../session/self.ts'
import { foreign } from '../../text/format.ts'
import { Notice } from '../../ui/notice.tsx'

const pollMs = 700
/** An attempt takes at most 10 s, and may wait for a dispatcher. */
const waitMsMax = 30_000

/** The response of the endpoint to a test event, as soon as the first attempt has ended. */
export function TestResult({ eventId }: { eventId: string }) {
  const isReadable = usePermitted('readDelivery')
  const [sentAt] = useState(Date.now)
  const isAwaited = (delivery: DeliveryWithAttempts | null | undefined) =>
    (delivery?.attempts.length ?? 0) === 0 && Date.now() - sentAt < waitMsMax
  const { data, error } = useQuery({
    queryKey: ['deliveries', 'test', eventId],
    queryFn: ({ signal }) => readTest(eventId, signal),
    enabled: isReadable,
    refetchInterval: ({ state }) => (state.error === null && isAwaited(state.data) ? pollMs : false),
  })
  const link = (
    <Link to="/deliveries" search={{ tenant_event_id: eventId }}>
      See its delivery
    </Link>
  )
  const [attempt] = data?.attempts ?? []
  if (attempt === undefined) {
    const isOver = !isReadable || error !== null || !isAwaited(data)
    return (
      <Notice tone="info">
        {isOver ? 'Sent. The response is not known here.' : 'Sent. Waiting for the response…'} {link}
      </Notice>
    )
  }
  const { status_code: code, error_kind: kind, error_detail: detail, duration_ms: ms, response_body: body } = attempt
  const isGood = kind === null
  return (
    <Notice tone={isGood ? 'good' : 'bad'}>
      <div className="stack" role="region" aria-label="Response to the test event">
        <p>
          {isGood
            ? `The endpoint accepted the test event: ${code}`
            : `The test event failed: ${describeCause(kind, code)}`}
          , after {ms} ms. {link}
        </p>
        {detail === null || detail === `responded with ${code}` ? null : <p>{foreign(detail)}</p>}
        {body === null || body === '' ? null : <Body text={body} label="Body of the response" />}
      </div>
    </Notice>
  )
}

/** Null until fan-out has created the delivery. */
async function readTest(eventId: string, signal: AbortSignal): Promise<DeliveryWithAttempts | null> {
  const { data } = await api.listTenantDeliveries({ tenant_event_id: eventId, limit: 1 }, { signal }).page()
  const [delivery] = data
  if (delivery === undefined) return null
  return api.readDelivery({ business_unit_id: delivery.business_unit_id, delivery_id: delivery.id }, { signal })
}

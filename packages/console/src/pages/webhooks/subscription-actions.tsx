import type { DeliveryWithAttempts, WebhookSubscription, WebhookSubscriptionHealth } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Actions, CallButton, confirmAction, enableAction, offerDialog, useDeletion } from '../../layout/actions.tsx'
import { describeCause } from '../../parts/causes.ts'
import { Body } from '../../parts/webhooks/attempt-list.tsx'
import { api } from '../../session/api.ts'
import { useResource } from '../../session/reads.ts'
import { usePermitted } from '../../session/self.ts'
import { foreign, formatQuantity } from '../../text/format.ts'
import { Notice } from '../../ui/content.tsx'
import { SubscriptionDialog } from './subscription-dialog.tsx'

const recoverPath = '/subscriptions/$business_unit_id/$bu_webhook_id/recover'

/** The actions of a subscription. */
export function SubscriptionActions({ subscription }: { subscription: WebhookSubscription }) {
  const { id, business_unit_id: unitId, label, destination_url: url, enabled } = subscription
  const address = { business_unit_id: unitId, bu_webhook_id: id }
  const navigate = useNavigate()
  const deletion = useDeletion({
    operation: 'deleteSubscription',
    noun: 'subscription',
    name: label ?? url,
    call: () => api.deleteSubscription(address),
    to: '/subscriptions',
    effect: <DeletionEffect subscription={subscription} />,
  })
  const enabling = enableAction({
    operation: 'updateSubscription',
    isEnabled: enabled,
    name: 'this subscription',
    effects,
    call: (body) => api.updateSubscription({ ...address, body }),
  })
  return (
    <>
      <TestEvent subscription={subscription} />
      <Actions
        actions={[
          {
            operation: 'recoverSubscription',
            label: 'Recover deliveries',
            isInMenu: true,
            onSelect: () => void navigate({ to: recoverPath, params: address }),
          },
          offerDialog(
            'updateSubscription',
            'Edit',
            (close) => <SubscriptionDialog unit={{ id: unitId }} subscription={subscription} onClose={close} />,
            { isInMenu: true },
          ),
          { ...enabling, isInMenu: true },
          confirmAction({
            operation: 'rotateSubscriptionSecret',
            label: 'Rotate secret',
            isInMenu: true,
            title: 'Rotate the signing secret?',
            submit: 'Rotate',
            isHarmless: true,
            call: ({ idempotencyKey }) =>
              api.rotateSubscriptionSecret({ ...address, body: { grace_period_seconds: dayS } }, { idempotencyKey }),
            effect: 'For a day, deliveries are signed with both secrets. Reveal the new one on this page.',
          }),
          { ...deletion, isInMenu: true },
        ]}
      />
    </>
  )
}

const effects = {
  disable: 'Its deliveries are held until you enable it again.',
  enable: 'Its held deliveries are sent.',
}

const dayS = 86_400

function DeletionEffect({ subscription }: { subscription: WebhookSubscription }) {
  const { data } = useHealth(subscription)
  return (
    <>
      {data === undefined ? 'Deliveries that are not sent yet are discarded.' : <Lost health={data} />} A deleted
      subscription cannot be restored.
    </>
  )
}

/** The deliveries that the deletion of a subscription discards. */
function Lost({ health: { waiting, held, counts_capped: isCapped } }: { health: WebhookSubscriptionHealth }) {
  const count = waiting + held
  if (count === 0) return 'No delivery is waiting.'
  return (
    <>
      <strong>{`${isCapped ? 'At least ' : ''}${formatQuantity(count, 'delivery', 'deliveries')}`}</strong> not sent yet
      will be discarded.
    </>
  )
}

/** Sends a test event, and shows what the endpoint responds. */
function TestEvent({ subscription }: { subscription: WebhookSubscription }) {
  const [eventId, setEventId] = useState<string>()
  const { id, business_unit_id: unitId } = subscription
  return (
    <>
      <CallButton
        operation="sendTestEvent"
        kind="primary"
        call={({ idempotencyKey }) =>
          api.sendTestEvent({ business_unit_id: unitId, bu_webhook_id: id }, { idempotencyKey })
        }
        onSuccess={({ tenant_event_id }) => setEventId(tenant_event_id)}
      >
        Send test event
      </CallButton>
      {eventId === undefined ? null : <TestResult key={eventId} eventId={eventId} />}
    </>
  )
}

/** The state of a subscription with its reason, and how many deliveries wait. */
export const useHealth = ({ id, business_unit_id }: WebhookSubscription) =>
  useResource('subscriptions', 'readSubscriptionHealth', { business_unit_id, bu_webhook_id: id })

const pollMs = 700
/** An attempt takes at most 10 s, and may wait for a dispatcher. */
const waitMsMax = 30_000

/** The response of the endpoint to a test event, as soon as the first attempt has ended. */
function TestResult({ eventId }: { eventId: string }) {
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

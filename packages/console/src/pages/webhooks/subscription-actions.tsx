import type { WebhookSubscription, WebhookSubscriptionHealth } from '@payments/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { Actions, enableAction, useDeletion } from '../../layout/actions.tsx'
import { Confirm } from '../../layout/confirm.tsx'
import { CallButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { useResource } from '../../session/reads.ts'
import { formatQuantity } from '../../text/format.ts'
import { SubscriptionDialog } from './lazy-subscription-dialog.ts'
import { TestResult } from './test-result.tsx'

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
          {
            operation: 'updateSubscription',
            label: 'Edit',
            isInMenu: true,
            dialog: (close) => (
              <Suspense>
                <SubscriptionDialog unit={{ id: unitId }} subscription={subscription} onClose={close} />
              </Suspense>
            ),
          },
          { ...enabling, isInMenu: true },
          {
            operation: 'rotateSubscriptionSecret',
            label: 'Rotate secret',
            isInMenu: true,
            dialog: (close) => <RotateSecret subscription={subscription} onClose={close} />,
          },
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

interface RotateSecretProps {
  readonly subscription: WebhookSubscription
  readonly onClose: () => void
}

function RotateSecret({ subscription: { id, business_unit_id }, onClose }: RotateSecretProps) {
  const args = { business_unit_id, bu_webhook_id: id, body: { grace_period_seconds: dayS } }
  return (
    <Confirm
      title="Rotate the signing secret?"
      kind="primary"
      submit="Rotate"
      call={({ idempotencyKey }) => api.rotateSubscriptionSecret(args, { idempotencyKey })}
      onClose={onClose}
    >
      For a day, deliveries are signed with both secrets. Reveal the new one on this page.
    </Confirm>
  )
}

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

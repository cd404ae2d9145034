import type { WebhookSubscription, WebhookSubscriptionHealth } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { Confirm } from '../../layout/confirm.tsx'
import { EnableDialog, type Enabling, enablingOf } from '../../layout/enable-dialog.tsx'
import { useAction } from '../../session/action.ts'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { useDenial } from '../../session/self.ts'
import { counted } from '../../text/format.ts'
import { Menu } from '../../ui/menu.tsx'
import { Notice } from '../../ui/notice.tsx'
import { healthQuery } from './health-query.ts'
import { EditSubscriptionDialog } from './subscription-dialogs.ts'
import { TestResult } from './test-result.tsx'

const recoverPath = '/subscriptions/$unitId/$subscriptionId/recover'

/** The actions of a subscription. */
export function SubscriptionActions({ subscription }: { subscription: WebhookSubscription }) {
  const { id, business_unit_id: unitId } = subscription
  const enabling = enablingOf(subscription)
  const args = { business_unit_id: unitId, bu_webhook_id: id }
  const [open, setOpen] = useState<'edit' | Enabling | 'rotate' | 'delete'>()
  const navigate = useNavigate()
  const denialOf = useDenial()
  const close = () => setOpen(undefined)
  return (
    <>
      <TestEvent subscription={subscription} />
      <Menu
        label="More actions"
        items={[
          {
            label: 'Recover deliveries',
            onSelect: () => void navigate({ to: recoverPath, params: { unitId, subscriptionId: id } }),
            disabledBecause: denialOf('recoverSubscription'),
          },
          { label: 'Edit', onSelect: () => setOpen('edit'), disabledBecause: denialOf('updateSubscription') },
          {
            label: enabling.label,
            onSelect: () => setOpen(enabling.action),
            disabledBecause: denialOf('updateSubscription'),
          },
          {
            label: 'Rotate secret',
            onSelect: () => setOpen('rotate'),
            disabledBecause: denialOf('rotateSubscriptionSecret'),
          },
          {
            label: 'Delete',
            isDanger: true,
            onSelect: () => setOpen('delete'),
            disabledBecause: denialOf('deleteSubscription'),
          },
        ]}
      />
      <Suspense>
        {open === 'edit' ? (
          <EditSubscriptionDialog unitId={unitId} subscription={subscription} onClose={close} />
        ) : null}
      </Suspense>
      {open === 'enable' || open === 'disable' ? (
        <EnableDialog
          action={open}
          name="this subscription"
          effectOf={effectOf}
          call={(body) => api.updateSubscription({ ...args, body })}
          onClose={close}
        />
      ) : null}
      {open === 'rotate' ? <RotateSecret subscription={subscription} onClose={close} /> : null}
      {open === 'delete' ? <Delete subscription={subscription} onClose={close} /> : null}
    </>
  )
}

interface DialogProps {
  readonly subscription: WebhookSubscription
  readonly onClose: () => void
}

function RotateSecret({ subscription: { id, business_unit_id }, onClose }: DialogProps) {
  const address = { business_unit_id, bu_webhook_id: id }
  const body = { grace_period_seconds: dayS }
  return (
    <Confirm
      title="Rotate the signing secret?"
      kind="primary"
      submit="Rotate"
      call={({ idempotencyKey }) => api.rotateSubscriptionSecret({ ...address, body }, { idempotencyKey })}
      onClose={onClose}
    >
      For a day, deliveries are signed with both secrets. Reveal the new one on this page.
    </Confirm>
  )
}

function Delete({ subscription, onClose }: DialogProps) {
  const { id, business_unit_id: unitId, label, destination_url: url } = subscription
  const navigate = useNavigate()
  const { data } = useQuery(healthQuery(subscription))
  return (
    <Confirm
      title="Delete this subscription?"
      submit="Delete"
      typed={label ?? url}
      call={() => api.deleteSubscription({ business_unit_id: unitId, bu_webhook_id: id })}
      onDone={() => void navigate({ to: '/subscriptions' })}
      onClose={onClose}
    >
      {data === undefined ? 'Deliveries that are not sent yet are discarded.' : <Lost health={data} />} A deleted
      subscription cannot be restored.
    </Confirm>
  )
}

/** The deliveries that the deletion of a subscription discards. */
function Lost({ health: { waiting, held, counts_capped: isCapped } }: { health: WebhookSubscriptionHealth }) {
  const count = waiting + held
  if (count === 0) return 'No delivery is waiting.'
  return (
    <>
      <strong>{`${isCapped ? 'At least ' : ''}${counted(count, 'delivery', 'deliveries')}`}</strong> not sent yet will
      be discarded.
    </>
  )
}

const effectOf = {
  disable: 'Its deliveries are held until you enable it again.',
  enable: 'Its held deliveries are sent.',
}

const dayS = 86_400

/** Sends a test event, and shows what the endpoint responds. */
function TestEvent({ subscription }: { subscription: WebhookSubscription }) {
  const [eventId, setEventId] = useState<string>()
  const { id, business_unit_id: unitId } = subscription
  const send = useAction({
    call: (_input: undefined, { idempotencyKey }) =>
      api.sendTestEvent({ business_unit_id: unitId, bu_webhook_id: id }, { idempotencyKey }),
    onSuccess: ({ tenant_event_id }) => setEventId(tenant_event_id),
  })
  return (
    <>
      <ActionButton operation="sendTestEvent" kind="primary" onClick={() => send.run(undefined)}>
        Send test event
      </ActionButton>
      {send.failure === undefined ? null : <Notice tone="bad">{send.failure}</Notice>}
      {eventId === undefined ? null : <TestResult key={eventId} eventId={eventId} />}
    </>
  )
}

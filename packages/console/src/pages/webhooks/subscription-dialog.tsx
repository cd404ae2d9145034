import type { WebhookSubscription } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Form } from '../../layout/form.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { useDenial } from '../../session/self.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'

const typesMax = 200
const fields = ['/destination_url', '/label', '/event_types']

interface SubscriptionDialogProps {
  readonly unitId: string
  /** The subscription to edit. */
  readonly subscription?: WebhookSubscription
  readonly onClose: () => void
}

/** Creates a subscription, or edits one. */
export function SubscriptionDialog({ unitId, subscription, onClose }: SubscriptionDialogProps) {
  const navigate = useNavigate()
  const [url, setUrl] = useState(subscription?.destination_url ?? '')
  const [label, setLabel] = useState(subscription?.label ?? '')
  const [types, setTypes] = useState(subscription?.event_types?.join('\n') ?? '')
  const save = useAction({
    call: (_input: undefined, { idempotencyKey }) => {
      const patterns = types.split(/[\s,]+/).filter((type) => type !== '') as WebhookSubscription['event_types']
      const body = {
        destination_url: url,
        label: label === '' ? null : label,
        event_types: patterns === null || patterns.length === 0 ? null : patterns,
      }
      return subscription === undefined
        ? api.createSubscription({ business_unit_id: unitId, body }, { idempotencyKey })
        : api.updateSubscription({ business_unit_id: unitId, bu_webhook_id: subscription.id, body })
    },
    onSuccess: ({ id }) => {
      onClose()
      void navigate({ to: '/subscriptions/$unitId/$subscriptionId', params: { unitId, subscriptionId: id } })
    },
    fields,
  })
  const isNew = subscription === undefined
  return (
    <Dialog title={isNew ? 'Create a subscription' : 'Edit the subscription'} onClose={onClose}>
      <Form
        action={save}
        submit={isNew ? 'Create subscription' : 'Save'}
        onSubmit={() => save.run(undefined)}
        onCancel={onClose}
      >
        <Field
          label="Endpoint URL"
          hint="Receives a signed POST for each event."
          error={save.failureOf('/destination_url')}
        >
          {(control) => (
            <input
              {...control}
              type="url"
              required
              maxLength={2_000}
              value={url}
              onChange={({ target }) => setUrl(target.value)}
            />
          )}
        </Field>
        <Field label="Label" error={save.failureOf('/label')}>
          {(control) => (
            <input {...control} maxLength={100} value={label} onChange={({ target }) => setLabel(target.value)} />
          )}
        </Field>
        <Field
          label="Event types"
          hint="One a line; a * at the end includes every type below. Empty: every event."
          error={save.failureOf('/event_types')}
        >
          {(control) => <textarea {...control} value={types} onChange={({ target }) => setTypes(target.value)} />}
        </Field>
        <KnownTypes
          onChoose={(type) => setTypes((before) => (before.trim() === '' ? type : `${before.trim()}\n${type}`))}
        />
      </Form>
    </Dialog>
  )
}

/** The catalogue of event types, each with its description. */
function KnownTypes({ onChoose }: { onChoose: (type: string) => void }) {
  const isPermitted = useDenial()('listEventTypes') === undefined
  const { data } = useQuery({
    queryKey: ['event-types'],
    queryFn: ({ signal }) => api.listEventTypes({ limit: typesMax }, { signal }).page(),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isPermitted,
  })
  if (data === undefined) return null
  return (
    <details>
      <summary>The {data.data.length} types of events</summary>
      <ul className="stack">
        {data.data.map(({ name, description }) => (
          <li key={name}>
            <button type="button" data-kind="plain" onClick={() => onChoose(name)}>
              <code>{name}</code>
            </button>
            <small>{description}</small>
          </li>
        ))}
      </ul>
    </details>
  )
}

import type { WebhookSubscription } from '@payments/client/schemas'
import { useState } from 'react'
import { useEditor } from '../../layout/edit.tsx'
import { FormDialog } from '../../layout/form.tsx'
import { AuthInfoChoice, useDenialOfAuthInfo, useEventTypes } from '../../parts/webhooks/names.tsx'
import { api } from '../../session/api.ts'
import { withChoice } from '../../text/changes.ts'
import { foreign, splitWords, textOrNull } from '../../text/format.ts'
import { TextAreaField, TextField } from '../../ui/fields.tsx'
import styles from './webhooks.module.css'

const toFormValues = (subscription: WebhookSubscription | undefined) => ({
  destination_url: subscription?.destination_url ?? '',
  label: subscription?.label ?? '',
  /** Patterns, one a line. */
  event_types: subscription?.event_types?.join('\n') ?? '',
  /** Empty for none. */
  webhook_auth_info_id: subscription?.webhook_auth_info_id ?? '',
})

interface SubscriptionDialogProps {
  readonly unit: { readonly id: string; readonly name?: string }
  /** The subscription to edit. */
  readonly subscription?: WebhookSubscription
  readonly onClose: () => void
}

/** Creates a subscription of a business unit, or edits one. */
export function SubscriptionDialog({ unit, subscription, onClose }: SubscriptionDialogProps) {
  const address = { business_unit_id: unit.id }
  const [opened] = useState(() => toFormValues(subscription))
  const { values, change, bind, isNew, notice, form } = useEditor({
    noun: 'subscription',
    current: subscription,
    initial: opened,
    toBody: ({ destination_url, label, event_types, webhook_auth_info_id }) => {
      const patterns = splitWords(event_types)
      return {
        destination_url: destination_url.trim(),
        label: textOrNull(label),
        event_types: patterns.length === 0 ? null : patterns,
        webhook_auth_info_id: textOrNull(webhook_auth_info_id),
      }
    },
    read: (id) => api.readSubscription({ ...address, bu_webhook_id: id }),
    create: (body, options) => api.createSubscription({ ...address, body }, options),
    update: (id, body) => api.updateSubscription({ ...address, bu_webhook_id: id, body }),
    list: `/subscriptions/${unit.id}`,
    onClose,
  })
  const { destination_url: url, webhook_auth_info_id: authInfoId } = values
  const isSame = url === opened.destination_url && authInfoId === opened.webhook_auth_info_id
  const denialOfAuthInfo = useDenialOfAuthInfo(authInfoId, url)
  const denial = isSame ? undefined : denialOfAuthInfo
  const authInfo = bind('webhook_auth_info_id')
  const title = isNew ? `${form.title} of ${foreign(unit.name ?? unit.id)}` : form.title
  return (
    <FormDialog {...form} title={title} isReady={denial === undefined}>
      {notice}
      <TextField
        label="Endpoint URL"
        hint="Receives a signed POST for each event."
        type="url"
        isRequired
        placeholder="https://example.com/webhooks"
        {...bind('destination_url')}
      />
      <TextField
        label="Label"
        hint="Optional. The console shows it in place of the URL."
        maxLength={100}
        {...bind('label')}
      />
      <TextAreaField
        label="Event types"
        hint="One per line. payment-proxy.* matches every type of payment-proxy. Empty: every event."
        {...bind('event_types')}
      />
      <KnownTypes
        chosen={splitWords(values.event_types)}
        onChange={(chosen) => change({ event_types: chosen.join('\n') })}
      />
      <AuthInfoChoice {...authInfo} error={denial ?? authInfo.error} />
    </FormDialog>
  )
}

interface KnownTypesProps {
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** The catalogue of event types, each with its description and a check box. */
function KnownTypes({ chosen, onChange }: KnownTypesProps) {
  const types = useEventTypes()
  if (types.length === 0) return null
  return (
    <details>
      <summary>Choose from {types.length} event types</summary>
      <ul className={`card stack ${styles.types}`}>
        {types.map(({ name, description }) => (
          <li key={name}>
            <label className={styles.check}>
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                onChange={({ target }) => onChange(withChoice(chosen, name, target.checked))}
              />
              <span>
                <code>{name}</code>
                <br />
                <small>{description}</small>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </details>
  )
}

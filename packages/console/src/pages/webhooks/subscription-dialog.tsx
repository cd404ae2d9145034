import type { WebhookSubscription } from '@payments/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Form } from '../../layout/form.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { AuthInfoChoice, useDenialOfAuthInfo } from '../names/auth-info-names.tsx'
import { useEventTypes } from '../names/known-types.ts'

const fields = ['/destination_url', '/label', '/event_types', '/webhook_auth_info_id']

interface SubscriptionDialogProps {
  readonly unitId: string
  /** The subscription to edit. */
  readonly subscription?: WebhookSubscription
  readonly onClose: () => void
}

interface Draft {
  readonly url: string
  readonly label: string
  /** Patterns, one a line. */
  readonly types: string
  /** Empty for none. */
  readonly authInfoId: string
}

const draftOf = (subscription: WebhookSubscription | undefined): Draft => ({
  url: subscription?.destination_url ?? '',
  label: subscription?.label ?? '',
  types: subscription?.event_types?.join('\n') ?? '',
  authInfoId: subscription?.webhook_auth_info_id ?? '',
})

function bodyOf({ url, label, types, authInfoId }: Draft) {
  const patterns = types.split(/[\s,]+/).filter((type) => type !== '')
  return {
    destination_url: url,
    label: label === '' ? null : label,
    event_types: patterns.length === 0 ? null : patterns,
    webhook_auth_info_id: authInfoId === '' ? null : authInfoId,
  }
}

/** Creates a subscription, or edits one. */
export function SubscriptionDialog({ unitId, subscription, onClose }: SubscriptionDialogProps) {
  const navigate = useNavigate()
  const [draft, setDraft] = useState(() => draftOf(subscription))
  const save = useAction({
    call: (_input: undefined, { idempotencyKey }) =>
      subscription === undefined
        ? api.createSubscription({ business_unit_id: unitId, body: bodyOf(draft) }, { idempotencyKey })
        : api.updateSubscription({
            business_unit_id: unitId,
            bu_webhook_id: subscription.id,
            body: bodyOf(draft),
          }),
    onSuccess: ({ id }) => {
      onClose()
      void navigate({ to: '/subscriptions/$unitId/$subscriptionId', params: { unitId, subscriptionId: id } })
    },
    fields,
  })
  const { url, authInfoId } = draftOf(subscription)
  const isSame = draft.url === url && draft.authInfoId === authInfoId
  const denialOfAuthInfo = useDenialOfAuthInfo(draft.authInfoId, draft.url)
  const denial = isSame ? undefined : denialOfAuthInfo
  const isNew = subscription === undefined
  return (
    <Dialog title={isNew ? 'Create a subscription' : 'Edit the subscription'} onClose={onClose}>
      <Form
        action={save}
        submit={isNew ? 'Create subscription' : 'Save'}
        isReady={denial === undefined}
        onSubmit={() => save.run(undefined)}
        onCancel={onClose}
      >
        <Fields draft={draft} errorOf={save.failureOf} onChange={setDraft} />
        <AuthInfoChoice
          value={draft.authInfoId}
          error={denial ?? save.failureOf('/webhook_auth_info_id')}
          onChange={(chosen) => setDraft({ ...draft, authInfoId: chosen })}
        />
      </Form>
    </Dialog>
  )
}

interface FieldsProps {
  readonly draft: Draft
  readonly errorOf: (pointer: string) => string | undefined
  readonly onChange: (draft: Draft) => void
}

function Fields({ draft, errorOf, onChange }: FieldsProps) {
  const change = (part: Partial<Draft>) => onChange({ ...draft, ...part })
  const before = draft.types.trim()
  return (
    <>
      <Field label="Endpoint URL" hint="Receives a signed POST for each event." error={errorOf('/destination_url')}>
        {(control) => (
          <input
            {...control}
            type="url"
            required
            maxLength={2_000}
            value={draft.url}
            onChange={({ target }) => change({ url: target.value })}
          />
        )}
      </Field>
      <Field label="Label" error={errorOf('/label')}>
        {(control) => (
          <input
            {...control}
            maxLength={100}
            value={draft.label}
            onChange={({ target }) => change({ label: target.value })}
          />
        )}
      </Field>
      <Field
        label="Event types"
        hint="One a line; a * at the end includes every type below. Empty: every event."
        error={errorOf('/event_types')}
      >
        {(control) => (
          <textarea {...control} value={draft.types} onChange={({ target }) => change({ types: target.value })} />
        )}
      </Field>
      <KnownTypes onChoose={(type) => change({ types: before === '' ? type : `${before}\n${type}` })} />
    </>
  )
}

/** The catalogue of event types, each with its description. */
function KnownTypes({ onChoose }: { onChoose: (type: string) => void }) {
  const types = useEventTypes()
  if (types.length === 0) return null
  return (
    <details>
      <summary>The {types.length} types of events</summary>
      <ul className="stack">
        {types.map(({ name, description }) => (
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

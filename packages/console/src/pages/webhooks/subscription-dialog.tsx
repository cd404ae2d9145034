import type { BusinessUnit, WebhookSubscription } from '@payments/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEdit } from '../../layout/edit.tsx'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { bindTo, useValues } from '../../layout/values.ts'
import { AuthInfoChoice, useDenialOfAuthInfo } from '../../parts/webhooks/auth-info-names.tsx'
import { useEventTypes } from '../../parts/webhooks/known-types.ts'
import { type Attempt, useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { TextAreaField, TextField } from '../../ui/fields.tsx'
import styles from './webhooks.module.css'

const fields = ['/destination_url', '/label', '/event_types', '/webhook_auth_info_id']

interface Draft {
  readonly url: string
  readonly label: string
  /** Patterns, one a line. */
  readonly types: string
  /** Empty for none. */
  readonly authInfoId: string
}

const toDraft = (subscription: WebhookSubscription | undefined): Draft => ({
  url: subscription?.destination_url ?? '',
  label: subscription?.label ?? '',
  types: subscription?.event_types?.join('\n') ?? '',
  authInfoId: subscription?.webhook_auth_info_id ?? '',
})

const splitPatterns = (types: string) => types.split(/[\s,]+/).filter((type) => type !== '')

function buildBody({ url, label, types, authInfoId }: Draft) {
  const patterns = splitPatterns(types)
  return {
    destination_url: url.trim(),
    label: label.trim() === '' ? null : label.trim(),
    event_types: patterns.length === 0 ? null : patterns,
    webhook_auth_info_id: authInfoId === '' ? null : authInfoId,
  }
}

interface DialogProps {
  readonly unitId: string
  readonly onClose: () => void
}

interface CreateProps {
  readonly unit: BusinessUnit
  readonly onClose: () => void
}

export function CreateSubscriptionDialog({ unit, onClose }: CreateProps) {
  const unitId = unit.id
  return (
    <SubscriptionDialog
      title={`Create a subscription of ${foreign(unit.name)}`}
      submit="Create subscription"
      unitId={unitId}
      opened={toDraft(undefined)}
      save={(body, { idempotencyKey }) =>
        api.createSubscription({ business_unit_id: unitId, body }, { idempotencyKey })
      }
      onClose={onClose}
    />
  )
}

interface EditProps extends DialogProps {
  readonly subscription: WebhookSubscription
}

export function EditSubscriptionDialog({ unitId, subscription, onClose }: EditProps) {
  const address = { business_unit_id: unitId, bu_webhook_id: subscription.id }
  const { notice, save } = useEdit(subscription, () => api.readSubscription(address))
  return (
    <SubscriptionDialog
      title="Edit the subscription"
      submit="Save"
      unitId={unitId}
      opened={toDraft(subscription)}
      notice={notice}
      save={(body) => save(body, (changes) => api.updateSubscription({ ...address, body: changes }))}
      onClose={onClose}
    />
  )
}

interface SubscriptionDialogProps extends DialogProps {
  readonly title: string
  readonly submit: string
  readonly opened: Draft
  readonly notice?: ReactNode
  readonly save: (body: ReturnType<typeof buildBody>, attempt: Attempt) => Promise<WebhookSubscription>
}

function SubscriptionDialog({ title, submit, unitId, opened, notice, save, onClose }: SubscriptionDialogProps) {
  const navigate = useNavigate()
  const [draft, change] = useValues(opened)
  const action = useAction({
    call: (_input: undefined, attempt) => save(buildBody(draft), attempt),
    onSuccess: ({ id }) => {
      onClose()
      void navigate({ to: '/subscriptions/$unitId/$subscriptionId', params: { unitId, subscriptionId: id } })
    },
    fields,
  })
  const isSame = draft.url === opened.url && draft.authInfoId === opened.authInfoId
  const denialOfAuthInfo = useDenialOfAuthInfo(draft.authInfoId, draft.url)
  const denial = isSame ? undefined : denialOfAuthInfo
  const bind = bindTo(draft, change, action.fieldError)
  const authInfo = bind('authInfoId', '/webhook_auth_info_id')
  return (
    <FormDialog title={title} action={action} submit={submit} isReady={denial === undefined} onClose={onClose}>
      {notice}
      <TextField
        label="Endpoint URL"
        hint="Receives a signed POST for each event."
        type="url"
        isRequired
        placeholder="https://example.com/webhooks"
        {...bind('url', '/destination_url')}
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
        {...bind('types', '/event_types')}
      />
      <KnownTypes chosen={splitPatterns(draft.types)} onChange={(chosen) => change({ types: chosen.join('\n') })} />
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
                onChange={({ target }) =>
                  onChange(target.checked ? [...chosen, name] : chosen.filter((type) => type !== name))
                }
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

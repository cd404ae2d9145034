import type { PaymentOrchestrator } from '@payments/client/schemas'
import { useState } from 'react'
import { useEdit } from '../../layout/edit.tsx'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { bindTo, useValues } from '../../layout/values.ts'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { AcceptFields } from './accept-fields.tsx'
import {
  bodyToCreate,
  bodyToUpdate,
  type FieldsProps,
  listCredentials,
  ofProvider,
  toFormValues,
} from './orchestrator-values.ts'

const fields = [
  '/name',
  '/mode',
  '/gateway_url',
  '/settings/protocol_version',
  '/iframe_url',
  '/tokenizer_url',
  '/settings/publishable_key',
  '/payment_methods',
  '/currencies',
  '/status',
  ...['key_id', 'secret', 'secret_key', 'webhook_secret'].map((name) => `/gateway_authentication/${name}`),
]

interface OrchestratorDialogProps {
  readonly unitId: string
  /** The payment orchestrator to edit. Connector and mode cannot change. */
  readonly orchestrator?: PaymentOrchestrator
  readonly onClose: () => void
}

/** Creates a payment orchestrator, or edits one. Credentials are sent, and never shown again. */
export function OrchestratorDialog({ unitId, orchestrator, onClose }: OrchestratorDialogProps) {
  const [opened] = useState(orchestrator)
  const [values, change] = useValues(() => toFormValues(opened))
  const isNew = opened === undefined
  const toAddress = (id: string) => ({ business_unit_id: unitId, payment_orchestrator_id: id })
  const edit = useEdit(orchestrator, (id) => api.readPaymentOrchestrator(toAddress(id)))
  const save = useAction({
    call: (_input: undefined, { idempotencyKey }) =>
      isNew
        ? api.createPaymentOrchestrator({ business_unit_id: unitId, body: bodyToCreate(values) }, { idempotencyKey })
        : edit.save(bodyToUpdate(opened, values), (body) =>
            api.updatePaymentOrchestrator({ ...toAddress(opened.id), body }),
          ),
    onSuccess: onClose,
    fields,
  })
  const props = { values, onChange: change, bind: bindTo(values, change, save.fieldError) }
  return (
    <FormDialog
      title={isNew ? 'Create a payment orchestrator' : 'Edit the payment orchestrator'}
      action={save}
      submit={isNew ? 'Create payment orchestrator' : 'Save'}
      isReady={isNew || Object.keys(bodyToUpdate(opened, values)).length > 0}
      onClose={onClose}
    >
      {edit.notice}
      <TextField label="Name" isRequired maxLength={200} {...props.bind('name')} />
      {isNew ? <ConnectorFields {...props} /> : null}
      {values.gateway === 'sandbox' ? null : <ProviderFields {...props} isNew={isNew} />}
      <AcceptFields {...props} />
      <SelectField label="Status" options={statuses} {...props.bind('status')} />
    </FormDialog>
  )
}

const statuses = [
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Inactive: takes no new payments' },
]

function ConnectorFields({ values, onChange, bind }: FieldsProps) {
  return (
    <>
      <SelectField
        label="Payment provider"
        value={values.gateway}
        options={gateways}
        onChange={(gateway) => onChange({ ...ofProvider, gateway, mode: gateway === 'sandbox' ? 'test' : values.mode })}
      />
      {values.gateway === 'sandbox' ? null : <SelectField label="Mode" options={modes} {...bind('mode')} />}
    </>
  )
}

const gateways = [
  { value: 'sandbox', label: 'Sandbox: moves no money' },
  { value: 'stripe', label: 'Stripe' },
  { value: 'http', label: 'Another provider, through an HTTP adapter' },
]

const modes = [
  { value: 'test', label: 'Test: moves no money' },
  { value: 'live', label: 'Live: moves money' },
]

const stored = 'Empty: the stored credentials stay. New ones replace all of them.'

function ProviderFields({ values, onChange, bind, isNew }: FieldsProps & { readonly isNew: boolean }) {
  const { gateway, secrets } = values
  return (
    <>
      {listCredentials(gateway).map(({ name, label, isOptional }) => (
        <TextField
          key={name}
          label={label}
          type="password"
          hint={isNew ? (isOptional ? 'Optional.' : undefined) : stored}
          isRequired={isNew && !isOptional}
          {...bind('secrets', `/gateway_authentication/${name}`)}
          value={secrets[name] ?? ''}
          onChange={(value) => onChange({ secrets: { ...secrets, [name]: value } })}
        />
      ))}
      {gateway === 'http' ? <AdapterFields bind={bind} /> : <StripeFields bind={bind} />}
      <TextField
        label="Tokenizer"
        type="url"
        hint="Optional. URL that exchanges a card for a token."
        {...bind('tokenizerUrl', '/tokenizer_url')}
      />
    </>
  )
}

function AdapterFields({ bind }: Pick<FieldsProps, 'bind'>) {
  return (
    <>
      <TextField
        label="Gateway URL"
        type="url"
        hint="Base URL of your adapter."
        isRequired
        {...bind('gatewayUrl', '/gateway_url')}
      />
      <SelectField
        label="Protocol of the adapter"
        hint="In version 2, a payer can confirm a payment at their bank."
        options={protocolVersions}
        {...bind('protocolVersion', '/settings/protocol_version')}
      />
      <TextField
        label="Card page"
        type="url"
        hint="Optional. URL of a page with the card fields of the provider."
        {...bind('iframeUrl', '/iframe_url')}
      />
    </>
  )
}

/** An adapter of version 1 gets no payment that the payer must confirm. */
const protocolVersions = [
  { value: '1', label: 'Version 1' },
  { value: '2', label: 'Version 2' },
]

function StripeFields({ bind }: Pick<FieldsProps, 'bind'>) {
  return (
    <>
      <TextField
        label="Gateway URL"
        type="url"
        hint="Optional. Empty: the API of Stripe."
        {...bind('gatewayUrl', '/gateway_url')}
      />
      <TextField
        label="Publishable key"
        maxLength={300}
        hint="Optional. With it, payers type their cards on the card page of the platform. Another key needs the secret key again."
        {...bind('publishableKey', '/settings/publishable_key')}
      />
      <TextField
        label="Card page"
        type="url"
        hint="Optional. URL of a page of your own with card fields, in place of that of the platform."
        {...bind('iframeUrl', '/iframe_url')}
      />
    </>
  )
}

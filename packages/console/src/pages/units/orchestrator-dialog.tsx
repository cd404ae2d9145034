import type { PaymentOrchestrator } from '@payments/client/schemas'
import { useState } from 'react'
import { useEdit } from '../../layout/edit.tsx'
import { Form } from '../../layout/form.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { AcceptFields } from './accept-fields.tsx'
import {
  bodyToCreate,
  bodyToUpdate,
  credentialsOf,
  type FieldsProps,
  type OrchestratorValues,
  ofProvider,
  valuesOf,
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
  const [values, setValues] = useState(() => valuesOf(opened))
  const change = (part: Partial<OrchestratorValues>) => setValues((before) => ({ ...before, ...part }))
  const isNew = opened === undefined
  const addressOf = (id: string) => ({ business_unit_id: unitId, payment_orchestrator_id: id })
  const edit = useEdit(orchestrator, (id) => api.readPaymentOrchestrator(addressOf(id)))
  const save = useAction({
    call: (_input: undefined, { idempotencyKey }) =>
      isNew
        ? api.createPaymentOrchestrator({ business_unit_id: unitId, body: bodyToCreate(values) }, { idempotencyKey })
        : edit.save(bodyToUpdate(opened, values), (body) =>
            api.updatePaymentOrchestrator({ ...addressOf(opened.id), body }),
          ),
    onSuccess: onClose,
    fields,
  })
  return (
    <Dialog title={isNew ? 'Create a payment orchestrator' : 'Edit the payment orchestrator'} onClose={onClose}>
      <Form
        action={save}
        submit={isNew ? 'Create payment orchestrator' : 'Save'}
        isReady={isNew || Object.keys(bodyToUpdate(opened, values)).length > 0}
        onSubmit={() => save.run(undefined)}
        onCancel={onClose}
      >
        {edit.notice}
        <TextField
          label="Name"
          isRequired
          maxLength={200}
          value={values.name}
          onChange={(name) => change({ name })}
          error={save.failureOf('/name')}
        />
        {isNew ? <ConnectorFields values={values} onChange={change} failureOf={save.failureOf} /> : null}
        {values.gateway === 'sandbox' ? null : (
          <ProviderFields values={values} onChange={change} failureOf={save.failureOf} isNew={isNew} />
        )}
        <AcceptFields values={values} onChange={change} failureOf={save.failureOf} />
        <Field label="Status" error={save.failureOf('/status')}>
          {(control) => (
            <Select
              {...control}
              value={values.status}
              options={[
                { value: 'active', label: 'Active' },
                { value: 'inactive', label: 'Inactive: takes no new payments' },
              ]}
              onChange={(status) => change({ status })}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  )
}

function ConnectorFields({ values, onChange, failureOf }: FieldsProps) {
  return (
    <>
      <Field label="Payment provider">
        {(control) => (
          <Select
            {...control}
            value={values.gateway}
            options={[
              { value: 'sandbox', label: 'Sandbox: moves no money' },
              { value: 'stripe', label: 'Stripe' },
              { value: 'http', label: 'Another provider, through an HTTP adapter' },
            ]}
            onChange={(gateway) =>
              onChange({ ...ofProvider, gateway, mode: gateway === 'sandbox' ? 'test' : values.mode })
            }
          />
        )}
      </Field>
      {values.gateway === 'sandbox' ? null : (
        <Field label="Mode" error={failureOf('/mode')}>
          {(control) => (
            <Select
              {...control}
              value={values.mode}
              options={[
                { value: 'test', label: 'Test: moves no money' },
                { value: 'live', label: 'Live: moves money' },
              ]}
              onChange={(mode) => onChange({ mode })}
            />
          )}
        </Field>
      )}
    </>
  )
}

const stored = 'Empty: the stored credentials stay. New ones replace all of them.'

function ProviderFields({ values, onChange, failureOf, isNew }: FieldsProps & { readonly isNew: boolean }) {
  const isHttp = values.gateway === 'http'
  return (
    <>
      {credentialsOf(values.gateway).map(({ name, label, isOptional }) => (
        <TextField
          key={name}
          label={label}
          type="password"
          hint={isNew ? (isOptional ? 'Optional.' : undefined) : stored}
          isRequired={isNew && !isOptional}
          value={values.secrets[name] ?? ''}
          onChange={(value) => onChange({ secrets: { ...values.secrets, [name]: value } })}
          error={failureOf(`/gateway_authentication/${name}`)}
        />
      ))}
      <TextField
        label="Gateway URL"
        type="url"
        hint={isHttp ? 'Base URL of your adapter.' : 'Optional. Empty: the API of Stripe.'}
        isRequired={isHttp}
        value={values.gatewayUrl}
        onChange={(gatewayUrl) => onChange({ gatewayUrl })}
        error={failureOf('/gateway_url')}
      />
      {isHttp ? <VersionField values={values} onChange={onChange} failureOf={failureOf} /> : null}
      {isHttp ? null : (
        <TextField
          label="Publishable key"
          maxLength={300}
          hint="Optional. With it, payers type their cards on the card page of the platform. Another key needs the secret key again."
          value={values.publishableKey}
          onChange={(publishableKey) => onChange({ publishableKey })}
          error={failureOf('/settings/publishable_key')}
        />
      )}
      <TextField
        label="Card page"
        type="url"
        hint={
          isHttp
            ? 'Optional. URL of a page with the card fields of the provider.'
            : 'Optional. URL of a page of your own with card fields, in place of that of the platform.'
        }
        value={values.iframeUrl}
        onChange={(iframeUrl) => onChange({ iframeUrl })}
        error={failureOf('/iframe_url')}
      />
      <TextField
        label="Tokenizer"
        type="url"
        hint="Optional. URL that exchanges a card for a token."
        value={values.tokenizerUrl}
        onChange={(tokenizerUrl) => onChange({ tokenizerUrl })}
        error={failureOf('/tokenizer_url')}
      />
    </>
  )
}

/** An adapter of version 1 gets no payment that the payer must confirm. */
function VersionField({ values, onChange, failureOf }: FieldsProps) {
  return (
    <Field
      label="Protocol of the adapter"
      hint="In version 2, a payer can confirm a payment at their bank."
      error={failureOf('/settings/protocol_version')}
    >
      {(control) => (
        <Select
          {...control}
          value={values.protocolVersion}
          options={[
            { value: '1', label: 'Version 1' },
            { value: '2', label: 'Version 2' },
          ]}
          onChange={(protocolVersion) => onChange({ protocolVersion })}
        />
      )}
    </Field>
  )
}

import type { PaymentOrchestrator } from '@payments/client/schemas'
import { useEditor } from '../../layout/edit.tsx'
import { type Bind, FormDialog } from '../../layout/form.tsx'
import { api } from '../../session/api.ts'
import { Notice } from '../../ui/content.tsx'
import { CheckField, SelectField, TextField, toOptions } from '../../ui/fields.tsx'
import {
  credentials,
  methodNames,
  type OrchestratorValues,
  ofProvider,
  toBody,
  toFormValues,
} from './orchestrator-values.ts'

const fields = [
  ...Object.keys(toFormValues(undefined)).map((name) => `/${name}`),
  ...Object.values(credentials).flatMap((names) => names.map(({ name }) => `/gateway_authentication/${name}`)),
]

interface OrchestratorDialogProps {
  readonly unitId: string
  /** The payment orchestrator to edit. Connector and mode cannot change. */
  readonly orchestrator?: PaymentOrchestrator
  readonly onClose: () => void
}

/** Creates a payment orchestrator, or edits one. Credentials are sent, and never shown again. */
export function OrchestratorDialog({ unitId, orchestrator, onClose }: OrchestratorDialogProps) {
  const address = { business_unit_id: unitId }
  const { values, change, bind, isNew, isChanged, notice, form } = useEditor({
    noun: 'payment orchestrator',
    current: orchestrator,
    initial: () => toFormValues(orchestrator),
    fields,
    toBody,
    read: (id) => api.readPaymentOrchestrator({ ...address, payment_orchestrator_id: id }),
    create: (body, options) => api.createPaymentOrchestrator({ ...address, body: body as Creation }, options),
    update: (id, body) =>
      api.updatePaymentOrchestrator({ ...address, payment_orchestrator_id: id, body: body as Change }),
    onClose,
  })
  const { payment_gateway: gateway } = values
  const props = { values, onChange: change, bind }
  return (
    <FormDialog {...form} isReady={isChanged}>
      {notice}
      <TextField label="Name" isRequired maxLength={200} {...bind('name')} />
      {isNew ? (
        <SelectField
          label="Payment provider"
          value={gateway}
          options={gateways}
          onChange={(payment_gateway) =>
            change({ ...ofProvider, payment_gateway, mode: payment_gateway === 'sandbox' ? 'test' : values.mode })
          }
        />
      ) : null}
      {isNew && gateway !== 'sandbox' ? <SelectField label="Mode" options={modes} {...bind('mode')} /> : null}
      {gateway === 'sandbox' ? null : <ProviderFields {...props} isNew={isNew} />}
      <MethodFields {...bind('payment_methods')} />
      <TextField label="Currencies" hint="Such as EUR, USD. Empty: every currency." {...bind('currencies')} />
      <SelectField label="Status" options={statuses} {...bind('status')} />
    </FormDialog>
  )
}

type Creation = Parameters<typeof api.createPaymentOrchestrator>[0]['body']
type Change = Parameters<typeof api.updatePaymentOrchestrator>[0]['body']

const statuses = toOptions({ active: 'Active', inactive: 'Inactive: takes no new payments' })
const gateways = toOptions({
  sandbox: 'Sandbox: moves no money',
  stripe: 'Stripe',
  http: 'Another provider, through an HTTP adapter',
})
const modes = toOptions({ test: 'Test: moves no money', live: 'Live: moves money' })
/** An adapter of version 1 gets no payment that the payer must confirm. */
const protocolVersions = toOptions({ '1': 'Version 1', '2': 'Version 2' })

const stored = 'Empty: the stored credentials stay. New ones replace all of them.'

interface ProviderFieldsProps {
  readonly values: OrchestratorValues
  readonly onChange: (part: Partial<OrchestratorValues>) => void
  readonly bind: Bind<OrchestratorValues>
  readonly isNew: boolean
}

function ProviderFields({ values: { payment_gateway: gateway, secrets }, onChange, bind, isNew }: ProviderFieldsProps) {
  const isAdapter = gateway === 'http'
  return (
    <>
      {credentials[gateway].map(({ name, label, isOptional }) => (
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
      <TextField
        label="Gateway URL"
        type="url"
        hint={isAdapter ? 'Base URL of your adapter.' : 'Optional. Empty: the API of Stripe.'}
        isRequired={isAdapter}
        {...bind('gateway_url')}
      />
      {isAdapter ? (
        <SelectField
          label="Protocol of the adapter"
          hint="In version 2, a payer can confirm a payment at their bank."
          options={protocolVersions}
          {...bind('settings/protocol_version')}
        />
      ) : (
        <TextField
          label="Publishable key"
          maxLength={300}
          hint="Optional. With it, payers type their cards on the card page of the platform. Another key needs the secret key again."
          {...bind('settings/publishable_key')}
        />
      )}
      <TextField
        label="Card page"
        type="url"
        hint={
          isAdapter
            ? 'Optional. URL of a page with the card fields of the provider.'
            : 'Optional. URL of a page of your own with card fields, in place of that of the platform.'
        }
        {...bind('iframe_url')}
      />
      <TextField
        label="Tokenizer"
        type="url"
        hint="Optional. URL that exchanges a card for a token."
        {...bind('tokenizer_url')}
      />
    </>
  )
}

type MethodFieldsProps = ReturnType<Bind<Pick<OrchestratorValues, 'payment_methods'>>>

/** The payment methods that a payment orchestrator accepts. */
function MethodFields({ value: chosen, onChange, error }: MethodFieldsProps) {
  const methods = Object.keys(methodNames) as OrchestratorValues['payment_methods']
  return (
    <fieldset className="boxes">
      <legend>Payment methods</legend>
      {methods.map((method) => (
        <CheckField
          key={method}
          isChecked={chosen.includes(method)}
          onChange={(isChecked) =>
            onChange(methods.filter((each) => (each === method ? isChecked : chosen.includes(each))))
          }
        >
          {methodNames[method]}
        </CheckField>
      ))}
      <small>None chosen: every payment method.</small>
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
    </fieldset>
  )
}

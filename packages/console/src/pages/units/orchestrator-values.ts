import type { CreatePaymentOrchestratorRequest, PaymentOrchestrator } from '@payments/client/schemas'
import type { api } from '../../session/api.ts'

/** The fields of the form of a payment orchestrator. Secrets are in the state of the form, and nowhere else. */
export interface OrchestratorValues {
  readonly name: string
  readonly gateway: string
  readonly mode: string
  readonly gatewayUrl: string
  readonly iframeUrl: string
  readonly tokenizerUrl: string
  readonly status: string
  readonly secrets: Readonly<Record<string, string>>
}

export function valuesOf(given: PaymentOrchestrator | undefined): OrchestratorValues {
  return {
    name: given?.name ?? '',
    gateway: given?.payment_gateway ?? 'sandbox',
    mode: given?.mode ?? 'test',
    gatewayUrl: given?.gateway_url ?? '',
    iframeUrl: given?.iframe_url ?? '',
    tokenizerUrl: given?.tokenizer_url ?? '',
    status: given?.status ?? 'active',
    secrets: {},
  }
}

interface Credential {
  readonly name: string
  readonly label: string
  readonly isOptional?: boolean
}

const credentials: Readonly<Record<string, readonly Credential[]>> = {
  http: [
    { name: 'key_id', label: 'Key id' },
    { name: 'secret', label: 'Secret' },
  ],
  stripe: [
    { name: 'secret_key', label: 'Secret key' },
    { name: 'webhook_secret', label: 'Webhook secret', isOptional: true },
  ],
}

/** The credentials that a connector needs. */
export const credentialsOf = (gateway: string): readonly Credential[] => credentials[gateway] ?? []

type Update = Parameters<typeof api.updatePaymentOrchestrator>[0]['body']

const given = (text: string) => (text.trim() === '' ? null : text.trim())
const secretsOf = ({ secrets }: OrchestratorValues) =>
  Object.fromEntries(Object.entries(secrets).filter(([, value]) => value !== ''))

export function bodyToCreate(values: OrchestratorValues): CreatePaymentOrchestratorRequest {
  return {
    name: values.name,
    payment_gateway: values.gateway as CreatePaymentOrchestratorRequest['payment_gateway'],
    mode: values.mode as CreatePaymentOrchestratorRequest['mode'],
    status: values.status as 'active' | 'inactive',
    gateway_url: given(values.gatewayUrl),
    iframe_url: given(values.iframeUrl),
    tokenizer_url: given(values.tokenizerUrl),
    gateway_authentication: secretsOf(values),
  }
}

/** The changed fields alone. */
export function bodyToUpdate(before: PaymentOrchestrator, values: OrchestratorValues): Update {
  const secrets = secretsOf(values)
  const wanted = {
    name: values.name,
    status: values.status as 'active' | 'inactive',
    gateway_url: given(values.gatewayUrl),
    iframe_url: given(values.iframeUrl),
    tokenizer_url: given(values.tokenizerUrl),
  }
  const changed = Object.entries(wanted).filter(([name, value]) => before[name as keyof typeof wanted] !== value)
  return {
    ...Object.fromEntries(changed),
    ...(Object.keys(secrets).length === 0 ? {} : { gateway_authentication: secrets }),
  }
}

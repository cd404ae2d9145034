import type { CreatePaymentOrchestratorRequest, PaymentOrchestrator } from '@payments/client/schemas'
import type { Bind } from '../../layout/values.ts'
import type { api } from '../../session/api.ts'

type PaymentMethod = NonNullable<PaymentOrchestrator['payment_methods']>[number]

/** The payment methods of the API in words. */
export const methodNames: Readonly<Record<PaymentMethod, string>> = { CREDIT_CARD: 'Cards', ACH: 'ACH debits' }

/** The connectors in words. */
export const connectorNames: Readonly<Record<PaymentOrchestrator['payment_gateway'], string>> = {
  sandbox: 'Sandbox',
  stripe: 'Stripe',
  http: 'HTTP adapter',
}

/** The fields of the form of a payment orchestrator. Secrets are in the state of the form, and nowhere else. */
export interface OrchestratorValues {
  readonly name: string
  readonly gateway: string
  readonly mode: string
  readonly gatewayUrl: string
  /** Of an HTTP adapter: `1` or `2`. */
  readonly protocolVersion: string
  readonly iframeUrl: string
  readonly tokenizerUrl: string
  /** Of Stripe. It is no secret. */
  readonly publishableKey: string
  /** None: every payment method. */
  readonly methods: readonly PaymentMethod[]
  /** Codes, separated by commas or spaces. Empty: every currency. */
  readonly currencies: string
  readonly status: string
  readonly secrets: Readonly<Record<string, string>>
}

/** The properties of a part of the form. */
export interface FieldsProps {
  readonly values: OrchestratorValues
  readonly onChange: (part: Partial<OrchestratorValues>) => void
  readonly bind: Bind<OrchestratorValues>
}

/** Empty fields that belong to a provider: another one starts without them. */
export const ofProvider = {
  gatewayUrl: '',
  protocolVersion: '1',
  iframeUrl: '',
  tokenizerUrl: '',
  publishableKey: '',
  secrets: {},
} as const satisfies Partial<OrchestratorValues>

export function toFormValues(given: PaymentOrchestrator | undefined): OrchestratorValues {
  return {
    name: given?.name ?? '',
    gateway: given?.payment_gateway ?? 'sandbox',
    mode: given?.mode ?? 'test',
    gatewayUrl: given?.gateway_url ?? '',
    protocolVersion: given === undefined ? '1' : readProtocolVersion(given),
    iframeUrl: given?.iframe_url ?? '',
    tokenizerUrl: given?.tokenizer_url ?? '',
    publishableKey: keyIn(given?.settings),
    methods: given?.payment_methods ?? [],
    currencies: given?.currencies?.join(', ') ?? '',
    status: given?.status ?? 'active',
    secrets: {},
  }
}

/** The version of the protocol that an HTTP adapter speaks. */
export const readProtocolVersion = ({ settings }: PaymentOrchestrator) =>
  settings['protocol_version'] === 2 ? '2' : '1'

function keyIn(settings: PaymentOrchestrator['settings'] = {}): string {
  const { publishable_key: key } = settings
  return typeof key === 'string' ? key : ''
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
export const listCredentials = (gateway: string): readonly Credential[] => credentials[gateway] ?? []

type Update = Parameters<typeof api.updatePaymentOrchestrator>[0]['body']

const given = (text: string) => (text.trim() === '' ? null : text.trim())
const selectSecrets = ({ secrets }: OrchestratorValues) =>
  Object.fromEntries(Object.entries(secrets).filter(([, value]) => value !== ''))

/** The fields of the API that have the same name and form in both requests. */
function buildFields(values: OrchestratorValues) {
  const currencies = values.currencies.toUpperCase().match(/[^\s,]+/g)
  return {
    name: values.name.trim(),
    status: values.status as 'active' | 'inactive',
    gateway_url: given(values.gatewayUrl),
    iframe_url: given(values.iframeUrl),
    tokenizer_url: given(values.tokenizerUrl),
    payment_methods: values.methods.length === 0 ? null : [...values.methods],
    // The API checks the codes.
    currencies: currencies as NonNullable<CreatePaymentOrchestratorRequest['currencies']> | null,
  }
}

export function bodyToCreate(values: OrchestratorValues): CreatePaymentOrchestratorRequest {
  return {
    ...buildFields(values),
    payment_gateway: values.gateway as CreatePaymentOrchestratorRequest['payment_gateway'],
    mode: values.mode as CreatePaymentOrchestratorRequest['mode'],
    gateway_authentication: selectSecrets(values),
    settings: buildSettings(values),
  }
}

/** The settings of the form that have a value. */
function buildSettings({ gateway, protocolVersion, publishableKey }: OrchestratorValues): Settings {
  if (gateway === 'http') return { protocol_version: Number(protocolVersion) }
  const key = publishableKey.trim()
  return gateway !== 'stripe' || key === '' ? {} : { publishable_key: key }
}

type Settings = NonNullable<CreatePaymentOrchestratorRequest['settings']>

/** The settings of the form that change. The API leaves others as they are. */
function changedSettings(before: PaymentOrchestrator, values: OrchestratorValues): Pick<Update, 'settings'> {
  const [shown, given] = [buildSettings(toFormValues(before)), buildSettings(values)]
  const names = [...new Set([...Object.keys(shown), ...Object.keys(given)])].filter(
    (name) => shown[name] !== given[name],
  )
  if (names.length === 0) return {}
  return { settings: Object.fromEntries(names.map((name) => [name, given[name] ?? null])) }
}

/** The changed fields alone. */
export function bodyToUpdate(before: PaymentOrchestrator, values: OrchestratorValues): Update {
  const secrets = selectSecrets(values)
  const changed = Object.entries(buildFields(values)).filter(
    ([name, value]) => JSON.stringify(before[name as keyof PaymentOrchestrator]) !== JSON.stringify(value),
  )
  return {
    ...Object.fromEntries(changed),
    ...changedSettings(before, values),
    ...(Object.keys(secrets).length === 0 ? {} : { gateway_authentication: secrets }),
  }
}

import type { CreatePaymentOrchestratorRequest, PaymentOrchestrator } from '@payments/client/schemas'
import { textOrNull } from '../../text/format.ts'

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
  readonly payment_gateway: PaymentOrchestrator['payment_gateway']
  readonly mode: PaymentOrchestrator['mode']
  readonly gateway_url: string
  /** Of an HTTP adapter: `1` or `2`. */
  readonly 'settings/protocol_version': string
  readonly iframe_url: string
  readonly tokenizer_url: string
  /** Of Stripe. It is no secret. */
  readonly 'settings/publishable_key': string
  /** None: every payment method. */
  readonly payment_methods: readonly PaymentMethod[]
  /** Codes, separated by commas or spaces. Empty: every currency. */
  readonly currencies: string
  readonly status: string
  readonly secrets: Readonly<Record<string, string>>
}

/** Empty fields that belong to a provider: another one starts without them. */
export const ofProvider = {
  gateway_url: '',
  'settings/protocol_version': '1',
  iframe_url: '',
  tokenizer_url: '',
  'settings/publishable_key': '',
  secrets: {},
} as const satisfies Partial<OrchestratorValues>

export const toFormValues = (given: PaymentOrchestrator | undefined): OrchestratorValues => ({
  name: given?.name ?? '',
  payment_gateway: given?.payment_gateway ?? 'sandbox',
  mode: given?.mode ?? 'test',
  gateway_url: given?.gateway_url ?? '',
  'settings/protocol_version': given === undefined ? '1' : readProtocolVersion(given),
  iframe_url: given?.iframe_url ?? '',
  tokenizer_url: given?.tokenizer_url ?? '',
  'settings/publishable_key': given === undefined ? '' : readPublishableKey(given),
  payment_methods: given?.payment_methods ?? [],
  currencies: given?.currencies?.join(', ') ?? '',
  status: given?.status ?? 'active',
  secrets: {},
})

function readPublishableKey({ settings: { publishable_key: key } }: PaymentOrchestrator): string {
  return typeof key === 'string' ? key : ''
}

/** The version of the protocol that an HTTP adapter speaks. */
export const readProtocolVersion = ({ settings }: PaymentOrchestrator) =>
  settings['protocol_version'] === 2 ? '2' : '1'

interface Credential {
  readonly name: string
  readonly label: string
  readonly isOptional?: boolean
}

/** The credentials that each connector needs. */
export const credentials: Readonly<Record<PaymentOrchestrator['payment_gateway'], readonly Credential[]>> = {
  sandbox: [],
  http: [
    { name: 'key_id', label: 'Key id' },
    { name: 'secret', label: 'Secret' },
  ],
  stripe: [
    { name: 'secret_key', label: 'Secret key' },
    { name: 'webhook_secret', label: 'Webhook secret', isOptional: true },
  ],
}

/** The body of a request. Of an existing payment orchestrator, it has new credentials and changed settings only. */
export function toBody(values: OrchestratorValues, before: PaymentOrchestrator | undefined) {
  const secrets = Object.fromEntries(Object.entries(values.secrets).filter(([, value]) => value !== ''))
  const settings = before === undefined ? buildSettings(values) : changedSettings(before, values)
  const isSent = (part: object) => before === undefined || Object.keys(part).length > 0
  return {
    name: values.name.trim(),
    payment_gateway: values.payment_gateway,
    mode: values.mode,
    status: values.status as 'active' | 'inactive',
    gateway_url: textOrNull(values.gateway_url),
    iframe_url: textOrNull(values.iframe_url),
    tokenizer_url: textOrNull(values.tokenizer_url),
    payment_methods: values.payment_methods.length === 0 ? null : [...values.payment_methods],
    // The API checks the codes.
    currencies: values.currencies.toUpperCase().match(/[^\s,]+/g) as CreatePaymentOrchestratorRequest['currencies'],
    ...(isSent(secrets) ? { gateway_authentication: secrets } : {}),
    ...(isSent(settings) ? { settings } : {}),
  }
}

type Settings = Record<string, string | number | null>

/** The settings of the form that have a value. */
function buildSettings({ payment_gateway: gateway, ...values }: OrchestratorValues): Settings {
  if (gateway === 'http') return { protocol_version: Number(values['settings/protocol_version']) }
  const key = values['settings/publishable_key'].trim()
  return gateway !== 'stripe' || key === '' ? {} : { publishable_key: key }
}

/** The settings of the form that change. The API leaves others as they are, and null removes one. */
function changedSettings(before: PaymentOrchestrator, values: OrchestratorValues): Settings {
  const [shown, given] = [buildSettings(toFormValues(before)), buildSettings(values)]
  const changed = Object.keys({ ...shown, ...given }).filter((name) => shown[name] !== given[name])
  return Object.fromEntries(changed.map((name) => [name, given[name] ?? null]))
}

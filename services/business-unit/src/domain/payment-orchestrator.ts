import type { RequestOf } from '@payments/contracts/grammar/contract'
import { commonProblems, type FieldError, Problem } from '@payments/contracts/grammar/problem'
import { type ConnectorName, connectorSettings } from '@payments/contracts/nouns/payment-connectors'
import {
  type businessUnitContract,
  type PaymentOrchestrator,
  problems,
} from '@payments/contracts/services/business-unit/contract'
import { settings } from '@payments/contracts/services/business-unit/settings'

export interface PaymentOrchestratorFacts {
  readonly id: string
  readonly businessUnitId: string
  readonly name: string
  readonly paymentGateway: string
  readonly mode: 'test' | 'live'
  readonly gatewayUrl: string | null
  readonly iframeUrl: string | null
  readonly tokenizerUrl: string | null
  readonly cardPageTrusted: boolean
  readonly gatewayAuthenticationFingerprint: string | null
  /** Empty: all. */
  readonly paymentMethods: readonly string[]
  /** Empty: all. */
  readonly currencies: readonly string[]
  readonly isDefault: boolean
  readonly status: 'active' | 'inactive' | 'deleted'
  readonly settings: unknown
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

type Endpoints = typeof businessUnitContract.endpoints

export type PaymentOrchestratorDraft = RequestOf<Endpoints['createPaymentOrchestrator']>['body']

/** The change of a request, which has only the settings that change. */
export type PaymentOrchestratorPatch = RequestOf<Endpoints['updatePaymentOrchestrator']>['body']

export type PaymentOrchestratorChange = Omit<PaymentOrchestratorPatch, 'settings'> & {
  readonly settings?: PaymentOrchestratorDraft['settings'] | undefined
}

/** Merges the settings by member (RFC 7396). Throws invalid_request for settings beyond their limits. */
export function mergePatch(
  before: Pick<PaymentOrchestratorFacts, 'settings'>,
  { settings: patch, ...others }: PaymentOrchestratorPatch,
): PaymentOrchestratorChange {
  if (patch === undefined) return others
  const members = Object.entries({ ...(before.settings as PaymentOrchestratorDraft['settings']), ...patch })
  const parsed = settings.safeParse(Object.fromEntries(members.filter(([, value]) => value !== null)))
  if (parsed.success) return { ...others, settings: parsed.data }
  const errors = parsed.error.issues.map(({ message }) => ({ pointer: '/settings', detail: message }))
  throw new Problem(commonProblems.invalid_request, { errors })
}

export function presentPaymentOrchestrator(one: PaymentOrchestratorFacts): PaymentOrchestrator {
  const { paymentMethods, currencies } = one
  return {
    id: one.id,
    business_unit_id: one.businessUnitId,
    name: one.name,
    payment_gateway: one.paymentGateway as ConnectorName,
    mode: one.mode,
    gateway_url: one.gatewayUrl,
    iframe_url: one.iframeUrl,
    tokenizer_url: one.tokenizerUrl,
    card_page_trusted: one.cardPageTrusted,
    gateway_authentication_fingerprint: one.gatewayAuthenticationFingerprint,
    payment_methods: paymentMethods.length === 0 ? null : (paymentMethods as ('CREDIT_CARD' | 'ACH')[]),
    currencies: currencies.length === 0 ? null : [...currencies],
    is_default: one.isDefault,
    status: one.status,
    settings: one.settings as PaymentOrchestrator['settings'],
    version: one.version,
    created_at: one.createdAt.toISOString(),
    updated_at: one.updatedAt.toISOString(),
  }
}

/** Bytes of the fields whose length the tenant chooses, as JSON. */
export function countTextBytes(one: PaymentOrchestratorFacts): number {
  const { name, gatewayUrl, iframeUrl, tokenizerUrl, paymentMethods, currencies, settings } = one
  const texts = [name, gatewayUrl, iframeUrl, tokenizerUrl, paymentMethods, currencies, settings]
  return Buffer.byteLength(JSON.stringify(texts))
}

/** The sandbox that a provisioned unit has. */
export const provisionedSandbox: PaymentOrchestratorDraft = {
  name: 'Sandbox',
  payment_gateway: 'sandbox',
  mode: 'test',
  gateway_url: null,
  iframe_url: null,
  tokenizer_url: null,
  gateway_authentication: {},
  payment_methods: null,
  currencies: null,
  is_default: true,
  status: 'active',
  settings: {},
}

/** Throws invalid_request, which names each field that does not fit the connector. */
export function rejectMisfit(
  one: Pick<PaymentOrchestratorDraft, 'mode' | 'gateway_url' | 'settings'> & { readonly payment_gateway: string },
): void {
  const errors = settingsErrors(one)
  if (one.payment_gateway === 'sandbox' && one.mode !== 'test') {
    errors.push({ pointer: '/mode', detail: 'must be test for the sandbox' })
  }
  if (one.payment_gateway === 'http' && one.gateway_url === null) {
    errors.push({ pointer: '/gateway_url', detail: 'is required for the connector http' })
  }
  if (errors.length > 0) throw new Problem(commonProblems.invalid_request, { errors })
}

function settingsErrors({
  payment_gateway: gateway,
  mode,
  settings,
}: Pick<PaymentOrchestratorDraft, 'mode' | 'settings'> & { readonly payment_gateway: string }): FieldError[] {
  const parsed = connectorSettings[gateway as ConnectorName].safeParse(settings)
  const errors = (parsed.error?.issues ?? []).map(({ path, message: detail }) => ({
    pointer: `/settings/${path.map(String).join('/')}`,
    detail,
  }))
  if (errors.length > 0 || gateway !== 'stripe') return errors
  const key = findPublishableKey(settings)
  // The keys of Stripe name their mode: `pk_test_…`, `pk_live_…`.
  if (key === undefined || key.split('_')[1] === mode) return []
  return [{ pointer: '/settings/publishable_key', detail: `must be a key of the mode ${mode}` }]
}

function findPublishableKey(settings: unknown): string | undefined {
  const { publishable_key: key } = settings as { readonly publishable_key?: unknown }
  return typeof key === 'string' ? key : undefined
}

/**
 * Throws invalid_request when a URL or the publishable key changes and the request has no credentials. The server of
 * `gateway_url` gets the stored ones, payers type their cards into the pages of the other two, and the account of the
 * key gets the cards: a user who may change the name may not replace them. A page or key may be removed freely.
 */
export function rejectMovedUrls(
  before: Pick<
    PaymentOrchestratorFacts,
    'paymentGateway' | 'gatewayUrl' | 'iframeUrl' | 'tokenizerUrl' | 'gatewayAuthenticationFingerprint' | 'settings'
  >,
  change: PaymentOrchestratorChange,
): void {
  if (before.gatewayAuthenticationFingerprint === null || change.gateway_authentication !== undefined) return
  const { gateway_url: gateway, iframe_url: page, tokenizer_url: tokenizer } = change
  const moved = [
    ...(gateway !== undefined && gateway !== before.gatewayUrl ? ['gateway_url'] : []),
    ...(page != null && page !== before.iframeUrl ? ['iframe_url'] : []),
    ...(tokenizer != null && tokenizer !== before.tokenizerUrl ? ['tokenizer_url'] : []),
    ...(hasOtherKey(before, change) ? ['settings.publishable_key'] : []),
  ]
  if (moved.length === 0) return
  const errors = [{ pointer: '/gateway_authentication', detail: `is required when ${moved.join(' and ')} changes` }]
  throw new Problem(commonProblems.invalid_request, { errors })
}

function hasOtherKey(
  before: Pick<PaymentOrchestratorFacts, 'paymentGateway' | 'settings'>,
  { settings }: PaymentOrchestratorChange,
): boolean {
  if (before.paymentGateway !== 'stripe' || settings === undefined) return false
  const key = findPublishableKey(settings)
  return key !== undefined && key !== findPublishableKey(before.settings)
}

/** Throws test_mode_not_allowed when a payment orchestrator in test mode becomes active. Called in production. */
export function rejectActiveTestMode({
  mode,
  status,
}: {
  readonly mode: 'test' | 'live'
  readonly status: string
}): void {
  if (mode === 'test' && status === 'active') throw new Problem(problems.test_mode_not_allowed)
}

/** Throws invalid_request when the request makes an inactive payment orchestrator the default. */
export function rejectInactiveDefault(one: {
  readonly is_default?: boolean | undefined
  readonly status: string
}): void {
  if (one.is_default !== true || one.status === 'active') return
  const errors = [{ pointer: '/is_default', detail: 'must be false unless the status is active' }]
  throw new Problem(commonProblems.invalid_request, { errors })
}

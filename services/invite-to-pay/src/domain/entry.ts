import { connectorSettings } from '@payments/contracts/nouns/payment-connectors'
import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import type { UnitCopy } from '@payments/contracts/services/business-unit/unit-copy'
import type { CodeFacts } from './code.ts'

/**
 * How the payer enters a payment method: test tokens of the sandbox, our card page with the fields of Stripe, or the
 * framed card page of the merchant or the provider.
 */
export type PaymentEntry =
  | { readonly kind: 'sandbox' }
  | CardPageEntry
  | {
      readonly kind: 'frame'
      readonly url: string
      /** Whether the operator of the platform lists the origin as one of the payment provider. */
      readonly isTrusted: boolean
    }

interface CardPageEntry {
  readonly kind: 'card_page'
  /** Origin of our card page. */
  readonly origin: string
  /** Of the account at Stripe. It is no secret. */
  readonly publishableKey: string
}

interface PageOrigins {
  readonly payBaseUrl: string
  /** Null where the platform has no card page. */
  readonly cardPageOrigin: string | null
}

type Described = Pick<
  PaymentOrchestrator,
  'payment_gateway' | 'iframe_url' | 'tokenizer_url' | 'settings' | 'card_page_trusted'
>

/**
 * Null for a payment orchestrator without a card page. Its own card page wins over ours, and over the buttons of the
 * sandbox, so that it can be tried. A page of the origin of the pay pages is none: in its frame it could act as the pay
 * page.
 */
export function findEntry(orchestrator: Described, { payBaseUrl, cardPageOrigin }: PageOrigins): PaymentEntry | null {
  const { payment_gateway: connector, iframe_url: url, card_page_trusted: isTrusted } = orchestrator
  if (url === null && connector === 'sandbox') return { kind: 'sandbox' }
  if (url === null) return cardPageOrigin === null ? null : findCardPage(orchestrator, cardPageOrigin)
  if (!URL.canParse(url) || new URL(url).origin === payBaseUrl) return null
  return { kind: 'frame', url, isTrusted }
}

/** Settings that were stored before their check may have any form. */
function findCardPage(
  { payment_gateway: connector, tokenizer_url: tokenizer, settings }: Described,
  origin: string,
): CardPageEntry | null {
  if (connector !== 'stripe' || tokenizer !== null) return null
  const { publishable_key: publishableKey } = connectorSettings.stripe.safeParse(settings).data ?? {}
  return publishableKey === undefined ? null : { kind: 'card_page', origin, publishableKey }
}

/** Whether the payment orchestrator moves no money. */
export const isForTests = ({
  payment_gateway: connector,
  mode,
}: Pick<PaymentOrchestrator, 'payment_gateway' | 'mode'>) => connector === 'sandbox' || mode === 'test'

/** The payment orchestrator of a code. Undefined while the copy of its business unit does not have it. */
export function findOrchestrator(
  { paymentOrchestratorId }: Pick<CodeFacts, 'paymentOrchestratorId'>,
  { paymentOrchestrators }: UnitCopy,
): PaymentOrchestrator | undefined {
  return paymentOrchestrators.find(({ id }) => id === paymentOrchestratorId)
}

/** Whether a code can never be paid again: its business unit or its payment orchestrator is deleted. */
export const isOrphaned = (code: Pick<CodeFacts, 'paymentOrchestratorId'>, unit: UnitCopy): boolean =>
  unit.businessUnit.status === 'deleted' || findOrchestrator(code, unit)?.status === 'deleted'
